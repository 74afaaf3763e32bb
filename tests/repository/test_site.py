"""The documentation site, where `make docs` has built it: pages open in a browser without errors,
links lead somewhere, and the notebooks show what their programs print and draw.
"""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.browser import opened

SITE = Path(__file__).resolve().parents[2] / "target" / "site"
PAGES = sorted(page.name for page in SITE.glob("*.html"))
pytestmark = pytest.mark.skipif(not PAGES, reason="the site is not built: make docs")


class Page(HTMLParser):
    """The targets of links and pictures of a page, and its anchors."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """The parser calls it."""
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.targets.add(value)
            elif name == "id" and value:
                self.anchors.add(value)


@pytest.fixture(scope="module")
def pages() -> dict[str, Page]:
    return {name: Page(SITE / name) for name in PAGES}


def test_links_lead_somewhere(pages: dict[str, Page]) -> None:
    followed = 0
    for name, page in pages.items():
        for target in page.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            path = unquote(parts.path) or name
            assert (SITE / path).exists(), f"{name}: {target}"
            if parts.fragment and path in pages:
                assert unquote(parts.fragment) in pages[path].anchors, f"{name}: {target}"
            followed += 1
    assert followed > 10 * len(pages)


@pytest.mark.parametrize("name", PAGES)
def test_pages_open_without_errors(name: str, tmp_path: Path) -> None:
    document, console = opened(SITE / name, tmp_path / "profile")
    assert console == []
    assert "<h1>" in document or name in ("genindex.html", "search.html")


def test_the_front_page_has_a_picture(pages: dict[str, Page]) -> None:
    assert {"_images/npbench-S.svg", "tour.html"} <= pages["index.html"].targets


def test_notebooks_show_what_their_programs_do(pages: dict[str, Page]) -> None:
    tour = (SITE / "tour.html").read_text(encoding="utf-8")
    for text in ("fastnp profile: ", "unaccounted for", "instead: ", "sort ran in NumPy 20 times"):
        assert text in tour
    pictures = [SITE / target for target in pages["tour.html"].targets if target.endswith(".svg")]
    assert any('class="group"' in path.read_text(encoding="utf-8") for path in pictures)
    assert any(target.endswith("/tour.ipynb") for target in pages["tour.html"].targets)
    seeing = (SITE / "seeing.html").read_text(encoding="utf-8")
    assert "a value is read 50 times" in seeing
