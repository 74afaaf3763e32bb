"""
One self-contained HTML page: the summary, the heat map, and the table, which can be sorted.

A click on a heading sorts by that column, a second one in the other direction; `page.html#ratio`
opens it sorted by the column with that name. Nothing is loaded from elsewhere. Leaves the cells to
`table` and the drawing to `heatmap`.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from npbench import heatmap, table
from npbench.measure import Measurement
from npbench.plot import PlotError
from npbench.report import agrees, ratio, summarise

TEXT_COLUMNS = ("kernel", "framework", "agreement")

STYLE = """
body { font: 14px/1.45 Helvetica, Arial, sans-serif; color: #1f2430; background: #ffffff;
       margin: 2em auto; max-width: 1200px; padding: 0 1em; }
h1 { font-size: 1.5em; }
h2 { font-size: 1.15em; margin-top: 2em; }
.machine { color: #667085; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 2px 10px; border-bottom: 1px solid #e4e7ec; text-align: right; }
th.text, td.text { text-align: left; }
th { position: sticky; top: 0; background: #ffffff; white-space: nowrap; }
th button { all: unset; cursor: pointer; font-weight: 600; }
th button:focus-visible { outline: 2px solid #0072b2; }
th[aria-sort="ascending"] button::after { content: " ▲"; }
th[aria-sort="descending"] button::after { content: " ▼"; }
tr.faster td.ratio { color: #0072b2; }
tr.slower td.ratio { color: #b34e00; }
tr.wrong td { color: #b00020; }
"""

SCRIPT = """
"use strict";
const table = document.getElementById("results");
const headings = Array.from(table.tHead.rows[0].cells);

function value(row, column) {
  const words = row.cells[column].textContent;
  return headings[column].classList.contains("text") ? words : Number.parseFloat(words);
}

// Values that are missing come last in both directions.
function compare(a, b, descending) {
  if (typeof a === "string") return descending ? b.localeCompare(a) : a.localeCompare(b);
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
  return descending ? b - a : a - b;
}

function sort(column) {
  const heading = headings[column];
  const before = heading.getAttribute("aria-sort");
  // Numbers first from the largest down, words first from A on.
  const first = heading.classList.contains("text") ? "ascending" : "descending";
  const second = first === "ascending" ? "descending" : "ascending";
  const order = before === first ? second : first;
  for (const other of headings) other.setAttribute("aria-sort", "none");
  heading.setAttribute("aria-sort", order);
  const rows = Array.from(table.tBodies[0].rows);
  rows.sort((a, b) => compare(value(a, column), value(b, column), order === "descending"));
  table.tBodies[0].append(...rows);
}

headings.forEach((heading, column) => {
  heading.querySelector("button").addEventListener("click", () => sort(column));
});
const wanted = decodeURIComponent(window.location.hash.slice(1));
const named = headings.findIndex((heading) => heading.dataset.name === wanted);
if (named >= 0) sort(named);
"""


def check(path: Path) -> None:
    """Raise PlotError where `path` cannot be written, before anything is measured."""
    if path.suffix != ".html":
        raise PlotError(f"cannot write a page to {path.name}: the name has to end in .html")


def write(path: Path, measurements: Sequence[Measurement], machine: dict[str, Any]) -> None:
    """Write the page of `measurements` to `path`."""
    check(path)
    path.write_text(page(measurements, machine), encoding="utf-8")


def page(measurements: Sequence[Measurement], machine: dict[str, Any]) -> str:
    """The page as an HTML document."""
    drawing = heatmap.svg(measurements, machine)
    preset = measurements[0].preset
    described = f"{machine['cpu']}, {machine['usable_cores']} cores"
    versions = [f"{o.label} {o.version}" for o in measurements[0].outcomes if o.version]
    summary = [f"<li>{html.escape(table.summary_line(s))}</li>" for s in summarise(measurements)]
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>NPBench, preset {html.escape(preset)}</title>",
        f"<style>{STYLE}</style>",
        "</head>",
        "<body>",
        f"<h1>NPBench, preset {html.escape(preset)}</h1>",
        f'<p class="machine">{html.escape(" · ".join([described, *versions]))}</p>',
        "<ul>",
        *summary,
        "</ul>",
        "<h2>Heat map</h2>",
        f'<div class="scroll">{drawing}</div>',
        "<h2>Results</h2>",
        '<div class="scroll"><table id="results">',
        *table_lines(measurements),
        "</table></div>",
        f"<script>{SCRIPT}</script>",
        "</body>",
        "</html>",
    ]
    return "\n".join([*lines, ""])


def table_lines(measurements: Sequence[Measurement]) -> list[str]:
    """The head and the rows of the table, those of the text report."""
    names = table.header(measurements[0])
    head = "".join(heading(name) for name in names)
    lines = ["<thead>", f"<tr>{head}</tr>", "</thead>", "<tbody>"]
    for measurement in measurements:
        for outcome in measurement.outcomes[1:]:
            cells = table.row(measurement, outcome)
            words = "".join(map(cell, names, cells))
            found = ratio(measurement, outcome)
            if not agrees(measurement, outcome):
                kind = "wrong"
            else:
                kind = "slower" if found is not None and found < 1 else "faster"
            lines.append(f'<tr class="{kind}">{words}</tr>')
    return [*lines, "</tbody>"]


def heading(name: str) -> str:
    """A heading that sorts by its column."""
    kind = "text" if name in TEXT_COLUMNS else "number"
    known = html.escape(name)
    return (
        f'<th scope="col" class="{kind}" data-name="{known}" aria-sort="none">'
        f'<button type="button">{known}</button></th>'
    )


def cell(name: str, words: str) -> str:
    """A cell of the column `name`."""
    kind = "text" if name in TEXT_COLUMNS else "ratio" if name == "ratio" else "number"
    return f'<td class="{kind}">{html.escape(words)}</td>'
