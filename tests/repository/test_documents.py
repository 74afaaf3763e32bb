"""The README, CONTRIBUTING.md and the pages of docs/ are correct: their programs run, their tables
are complete, and their links lead somewhere.
"""

from __future__ import annotations

import linecache
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import fastnp
import pytest

from benches.tips import PAGE, tips

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] + sorted(
    f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")
)
# Pages with a program that starts processes, and with pairs of functions; each has a test below.
TESTED_ALONE = {"docs/machines.md", "docs/tips.md"}
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def programs(page: str) -> list[str]:
    """The blocks of Python of a page."""
    return BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))


def run(program: str, name: str, names: dict[str, Any]) -> None:
    """Run a block; `jit` finds its source as tracebacks do."""
    linecache.cache[name] = (len(program), None, program.splitlines(True), name)
    exec(compile(program, name, "exec"), names)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page not in TESTED_ALONE and programs(page)]
)
def test_programs_run(
    page: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks of a page continue each other, as a reader types them."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    try:
        for number, program in enumerate(programs(page)):
            run(program, f"<{page}, program {number}>", names)
    finally:
        fastnp.set_device("cpu")
    assert capsys.readouterr().out


def test_the_program_with_workers_runs(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    [program] = programs("docs/machines.md")
    script.write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout) == (0, "1.0\n"), done.stderr


def test_explanation_is_as_shown() -> None:
    shown = re.findall(r"```text\n(.*?)```", README, re.DOTALL)[0]
    lines = programs("README.md")[0].replace("print(np.explain(y))", "text = np.explain(y)")
    found: dict[str, str] = {}
    exec(lines, found)
    kept = [line for line in shown.splitlines() if "…" not in line]
    assert found["text"].splitlines()[: len(kept)] == kept


def test_settings_are_listed() -> None:
    settings = fastnp.settings()
    page = (ROOT / "docs" / "native.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \| `(FASTNP_\w+)`", page, re.MULTILINE)
    assert listed == [(name, "FASTNP_" + name.upper()) for name in settings]
    assert len(listed) <= 10


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
        assert (ROOT / page).parent.joinpath(target).exists(), f"{page}: {target}"


def test_every_page_is_on_the_site() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    trees = re.findall(r"```\{toctree\}\n:caption: .*?\n(.*?)```", index, re.DOTALL)
    listed = [name for tree in trees for name in tree.split()]
    assert sorted(listed) == sorted({p.stem for p in (ROOT / "docs").glob("*.md")} - {"index"})


@pytest.mark.parametrize("tip", tips(PAGE.read_text(encoding="utf-8")), ids=lambda tip: tip.title)
def test_tips_compute_the_same(tip: Any) -> None:
    """And they say what they are worth, which is something."""
    slow, fast = (fastnp.asarray(function(tip.make())) for function in (tip.slow, tip.fast))
    fastnp.testing.assert_allclose(slow, fast, rtol=1e-6, atol=1e-7)
    times = re.search(r"([\d.e+]+) times as fast", tip.measured)
    assert times is not None and float(times[1]) > 1.1, tip.measured
