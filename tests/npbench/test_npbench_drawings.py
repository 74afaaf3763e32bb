"""The heat map and the page: their structure, and sorting in a browser if there is one."""

from __future__ import annotations

import re
import xml.etree.ElementTree
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from npbench import heatmap, page, plot
from npbench.__main__ import main
from npbench.agreement import Agreement
from npbench.measure import Measurement, Outcome
from tests.browser import opened

MACHINE = {"cpu": "A & B", "usable_cores": 2}
SVG = "{http://www.w3.org/2000/svg}"
# What opens a page without a window and prints what its scripts made of it.


def outcome(label: str, seconds: float | None, first: float | None, agrees: bool) -> Outcome:
    status = "crash" if seconds is None else "ok"
    found = Outcome(label, label, status=status, median_seconds=seconds, first_seconds=first)
    found.agreement = Agreement(agrees, 0.0)
    return found


def measurement(name: str, seconds: float | None, agrees: bool = True) -> Measurement:
    """NumPy's 1 s, another framework's time, and a third that is as fast as NumPy."""
    reference = Outcome("numpy", "numpy", median_seconds=1.0, first_seconds=2.0)
    others = [outcome("new & <fast>", seconds, 4.0, agrees), outcome("same", 1.0, 2.0, True)]
    return Measurement(name, "S", {}, [reference, *others])


MEASURED = [
    measurement("slow", 3.0),
    measurement("broken", None),
    measurement("fast", 0.01),
    measurement("wrong", 0.5, agrees=False),
]


def test_the_heat_map_has_two_panels(tmp_path: Path) -> None:
    path = tmp_path / "map.svg"
    heatmap.write(path, MEASURED, MACHINE)
    root = xml.etree.ElementTree.parse(path).getroot()
    cells = {}
    for group in root.iter(f"{SVG}g"):
        note, box, words = group
        cells[note.text, words.text] = box.get("fill")
    new, numpy = "new & <fast>", "numpy 1000.0 ms"
    # White at 1, and full colours from a factor of 16 on, in both directions.
    assert cells[f"fast, {new}: 10.0 ms, {numpy}", "100×"] == plot.FASTER
    assert cells[f"fast, same: 1000.0 ms, {numpy}", "1.00×"] == "#ffffff"
    assert cells[f"slow, {new}: 3000.0 ms, {numpy}", "0.33×"] not in (plot.SLOWER, "#ffffff")
    assert cells[f"slow, {new}: 4000.0 ms, numpy 2000.0 ms", "0.50×"] is not None
    # No number for what is wrong, and it is not part of the mean.
    assert cells[f"wrong, {new}: the outputs differ", "differs"] == plot.WRONG
    assert cells[f"broken, {new}: crash", "failed"] == plot.WRONG
    assert cells[f"{new}: 2 of 4 kernels", "5.77×"] is not None
    lines = [element.text for element in root.iter(f"{SVG}text")]
    assert {"warm calls (median)", "first call", "geometric mean"} <= set(lines)


@pytest.mark.parametrize(
    ("value", "words"),
    [(123.4, "123×"), (99.99, "100×"), (12.34, "12.3×"), (1.234, "1.23×"), (0.0123, "0.012×")],
)
def test_ratios_have_few_digits(value: float, words: str) -> None:
    assert heatmap.times(value) == words


class Reader(HTMLParser):
    """Collects the rows of the table, the elements left open, and addresses."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.open: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element of the drawing without contents."""

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    return reader


def test_the_page_is_whole_and_needs_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "out.html"
    page.write(path, MEASURED, MACHINE)
    text = path.read_text(encoding="utf-8")
    found = read(text)
    assert found.open == []
    assert found.addresses == []
    assert re.findall(r"https?://[^\"<> ]*", text) == ["http://www.w3.org/2000/svg"]
    head, *rows = found.rows
    assert head[:5] == ["kernel", "framework", "numpy ms", "its ms", "ratio"]
    assert len(rows) == 8
    assert all(len(row) == len(head) for row in rows)
    assert rows[0][:5] == ["slow", "new & <fast>", "1000.0", "3000.0", "0.33"]


@pytest.mark.parametrize(
    ("fragment", "column", "expected"),
    [
        # The largest first; what has no ratio comes last.
        ("ratio", 4, ["100.00", "2.00", "1.00", "1.00", "1.00", "1.00", "0.33", "–"]),
        ("kernel", 0, ["broken", "broken", "fast", "fast", "slow", "slow", "wrong", "wrong"]),
        ("no such column", 0, ["slow", "slow", "broken", "broken", "fast", "fast", "wrong"]),
    ],
)
def test_a_browser_sorts_the_page(
    tmp_path: Path, fragment: str, column: int, expected: list[str]
) -> None:
    path = tmp_path / "out.html"
    page.write(path, MEASURED, MACHINE)
    shown = opened(path, tmp_path / "profile", fragment)
    assert shown.console == []
    found = read(shown.document.removeprefix("<!DOCTYPE html>"))
    assert [row[column] for row in found.rows[1:]][: len(expected)] == expected


def test_the_command_line_draws_and_refuses(tmp_path: Path) -> None:
    chart, document = tmp_path / "map.svg", tmp_path / "out.html"
    run: Any = ["--preset", "test", "--repeat", "1", "--kernels", "crc16"]
    both = [*run, "--frameworks", "numpy,again=numpy"]
    assert main([*both, "--heatmap", str(chart), "--html", str(document)]) == 0
    xml.etree.ElementTree.parse(chart)
    assert "crc16" in document.read_text(encoding="utf-8")
    assert main([*both, "--heatmap", "map.png"]) == 2
    assert main([*both, "--html", "out.txt"]) == 2
    # Refused before anything is measured: there is no ratio.
    assert main([*run, "--frameworks", "numpy", "--html", str(document)]) == 2
