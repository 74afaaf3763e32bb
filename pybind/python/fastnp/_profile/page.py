"""A profile as one HTML page: a bar for each part of the time, and the tables, which can be sorted.

Nothing is loaded from elsewhere.
"""

from __future__ import annotations

from html import escape

from fastnp._profile.record import Record, time_text
from fastnp._profile.text import Table, tables

__all__ = ["body", "page"]

# Distinct in print and for the colour-blind (Okabe and Ito); grey for what is not accounted for.
COLOURS = ("#0072b2", "#56b4e9", "#009e73", "#f0e442", "#e69f00", "#d55e00", "#cc79a7", "#999999")
WIDTH, LEFT, ROW = 860, 190, 26

STYLE = """
.fastnp { font: 14px/1.45 Helvetica, Arial, sans-serif; color: #1f2430; background: #ffffff;
          max-width: 1100px; margin: 1em auto; padding: 0 1em; }
.fastnp h1 { font-size: 1.4em; }
.fastnp h2 { font-size: 1.1em; margin-top: 1.6em; }
.fastnp .scroll { overflow-x: auto; }
.fastnp table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.fastnp th, .fastnp td { padding: 2px 10px; border-bottom: 1px solid #e4e7ec; text-align: right; }
.fastnp th.text, .fastnp td.text { text-align: left; }
.fastnp th { cursor: pointer; }
"""

# A click on a heading sorts: texts from A on, numbers from the largest down.
SCRIPT = """
"use strict";
const scale = { "ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9 };
function number(words) {
  const [value, unit] = words.replaceAll(",", "").split(" ");
  return Number.parseFloat(value) * (scale[unit] ?? 1);
}
for (const table of document.querySelectorAll(".fastnp table")) {
  Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
    head.addEventListener("click", () => {
      const isText = head.className === "text";
      const words = (row) => row.cells[column].textContent;
      const rows = Array.from(table.tBodies[0].rows);
      rows.sort((a, b) => isText ? words(a).localeCompare(words(b))
                                 : number(words(b)) - number(words(a)));
      table.tBodies[0].append(...rows);
    });
  });
}
"""


def page(p: Record) -> str:
    """The report as an HTML document."""
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<link rel="icon" href="data:,">',
            f"<title>fastnp profile: {time_text(p.seconds)}</title></head><body>",
            body(p),
            f"<script>{SCRIPT}</script>",
            "</body></html>",
            "",
        ]
    )


def body(p: Record) -> str:
    """The report as a part of a document."""
    parts = [f"<style>{STYLE}</style>", '<div class="fastnp">']
    parts.append(f"<h1>fastnp profile: {time_text(p.seconds)}</h1>")
    parts.append(f'<div class="scroll">{chart(p)}</div>')
    for table in tables(p):
        parts += [
            f"<h2>{escape(table.title)}</h2>",
            '<div class="scroll">',
            _table(table),
            "</div>",
        ]
    return "\n".join([*parts, "</div>"])


def chart(p: Record) -> str:
    """A bar for each part of the time, as SVG."""
    shown = p.parts()
    height = ROW * len(shown) + 10
    longest = max(seconds for _, seconds in shown) or 1.0
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-family="Helvetica, Arial, sans-serif" '
        'font-size="13" fill="#1f2430" role="img" aria-label="where the time went">'
    ]
    for i, ((name, seconds), colour) in enumerate(zip(shown, COLOURS, strict=True)):
        width = (WIDTH - LEFT - 140) * seconds / longest
        share = f" ({seconds / p.seconds:.1%})" if p.seconds else ""
        y = ROW * i
        lines.append(
            f'<g class="part"><text x="{LEFT - 10}" y="{y + 17}" text-anchor="end">{name}</text>'
            f'<rect x="{LEFT}" y="{y + 4}" width="{width:.1f}" height="{ROW - 8}" '
            f'fill="{colour}"/><text x="{LEFT + width + 8:.1f}" y="{y + 17}">'
            f"{time_text(seconds)}{share}</text></g>"
        )
    return "\n".join([*lines, "</svg>"])


def _table(table: Table) -> str:
    def cells(tag: str, row: tuple[str, ...]) -> str:
        return "".join(
            f'<{tag} class="{"text" if i < table.texts else "number"}">{escape(cell)}</{tag}>'
            for i, cell in enumerate(row)
        )

    rows = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in table.rows)
    head = cells("th", table.heads)
    return f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table>"
