"""`python -m fastnp --costs`: the constants of the cost model, beside what they are here."""

from __future__ import annotations

from fastnp import _fastnp

__all__ = ["costs_text"]


def costs_text() -> str:
    """The constants as a table: what decisions use, and what was measured now."""
    rows = [("constant", "used", "measured", "unit", "decides")]
    for name, value, unit, decides, measured in _fastnp.costs():
        here = "" if measured is None else _number(measured)
        rows.append((name, _number(value), here, unit, decides))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for name, used, here, unit, decides in rows:
        cells = name.ljust(widths[0]), used.rjust(widths[1]), here.rjust(widths[2])
        lines.append("  ".join((*cells, unit.ljust(widths[3]), decides)).rstrip())
    return "\n".join(lines)


def _number(value: float) -> str:
    return f"{value:.4g}" if value < 1000 else f"{value:,.0f}"
