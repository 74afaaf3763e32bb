"""
A heat map of kernels and frameworks as SVG: one panel for warm calls, one for first calls.

A cell holds the ratio of the reference's time and the framework's, on a colour scale that is
logarithmic and symmetric about 1; a result that is wrong or missing is grey. Leaves the numbers to
`report`.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from npbench.measure import Measurement, Outcome
from npbench.plot import (
    FASTER,
    GRID,
    INK,
    MUTED,
    PAPER,
    SLOWER,
    WRONG,
    PlotError,
    headings,
    text,
    vertical,
)
from npbench.report import agrees, first_ratio, ratio
from npbench.table import milliseconds

# The ratio at which a colour is full: most kernels are within it, so that their colours differ.
FULL = 16.0
LEFT, TOP, BOTTOM, ROW = 190, 120, 70, 20
TIME, CELL, GAP, MARGIN = 84, 74, 30, 24
MEAN = "geometric mean"


@dataclass(frozen=True)
class Cell:
    """One kernel under one framework: its colour, its text and the line shown at the pointer."""

    ratio: float | None
    text: str
    note: str

    @property
    def fill(self) -> str:
        """White at 1, blue for faster, orange for slower."""
        if self.ratio is None:
            return WRONG
        share = min(abs(math.log(self.ratio)) / math.log(FULL), 1.0)
        return blend(FASTER if self.ratio >= 1 else SLOWER, share)

    @property
    def ink(self) -> str:
        """The colour of the text: the one that is easier to read on the cell."""
        return PAPER if luminance(self.fill) < 0.4 else INK


@dataclass(frozen=True)
class Panel:
    """The warm calls or the first ones."""

    title: str
    seconds: Callable[[Outcome], float | None]
    ratio: Callable[[Measurement, Outcome], float | None]


PANELS = (
    Panel("warm calls (median)", lambda outcome: outcome.median_seconds, ratio),
    Panel("first call", lambda outcome: outcome.first_seconds, first_ratio),
)


def check(path: Path) -> None:
    """Raise PlotError where `path` cannot be written, before anything is measured."""
    if path.suffix != ".svg":
        raise PlotError(f"cannot draw a heat map to {path.name}: the name has to end in .svg")


def write(path: Path, measurements: Sequence[Measurement], machine: dict[str, Any]) -> None:
    """Draw the heat map of `measurements` to `path`."""
    check(path)
    path.write_text(svg(measurements, machine), encoding="utf-8")


def svg(measurements: Sequence[Measurement], machine: dict[str, Any]) -> str:
    """The heat map as an SVG document."""
    others = measurements[0].outcomes[1:] if measurements else []
    if not others:
        raise PlotError("a heat map of ratios needs a second framework")
    title, below = headings(measurements, machine)
    panel_width = TIME + CELL * len(others)
    width = max(LEFT + panel_width * len(PANELS) + GAP + MARGIN, 700)
    floor = TOP + ROW * (len(measurements) + 1)
    height = floor + BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
        text(MARGIN, 34, title, 17, INK, "start", "600"),
        text(MARGIN, 56, below, 12, MUTED, "start"),
        text(LEFT - 12, middle(0), MEAN, 12, INK, "end", "600"),
    ]
    for index, measurement in enumerate(measurements, start=1):
        parts.append(text(LEFT - 12, middle(index), measurement.kernel, 12, INK, "end"))
    for index, panel in enumerate(PANELS):
        left = LEFT + index * (panel_width + GAP)
        parts += panel_parts(panel, measurements, left)
        parts.append(vertical(left + TIME - 4, TOP, floor, GRID, 1))
    parts += legend(LEFT, floor + 24)
    return "\n".join([*parts, "</svg>", ""])


def panel_parts(panel: Panel, measurements: Sequence[Measurement], left: float) -> list[str]:
    """The headings, the reference's times and the cells of one panel."""
    reference, *others = measurements[0].outcomes
    end = left + TIME - 12
    parts = [
        text(left, TOP - 30, panel.title, 12, INK, "start", "600"),
        text(end, TOP - 10, f"{reference.label} ms", 11, MUTED, "end"),
    ]
    for column, outcome in enumerate(others):
        x = left + TIME + CELL * column
        parts.append(text(x + CELL / 2, TOP - 10, outcome.label, 11, MUTED, "middle"))
        parts.append(cell_part(mean_of(panel, measurements, column + 1), x, 0, "600"))
    for row, measurement in enumerate(measurements, start=1):
        seconds = milliseconds(panel.seconds(measurement.outcomes[0]))
        parts.append(text(end, middle(row), seconds, 11, MUTED, "end"))
        for column, outcome in enumerate(measurement.outcomes[1:]):
            cell = cell_of(panel, measurement, outcome)
            parts.append(cell_part(cell, left + TIME + CELL * column, row))
    return parts


def cell_of(panel: Panel, measurement: Measurement, outcome: Outcome) -> Cell:
    """The cell of one kernel under one framework. The time of a wrong result has no ratio."""
    place = f"{measurement.kernel}, {outcome.label}"
    if outcome.status != "ok":
        return Cell(None, "failed", f"{place}: {outcome.error or outcome.status}")
    if not agrees(measurement, outcome):
        return Cell(None, "differs", f"{place}: the outputs differ")
    found = panel.ratio(measurement, outcome)
    if found is None:
        return Cell(None, "–", f"{place}: not measured")
    theirs = milliseconds(panel.seconds(measurement.outcomes[0]))
    reference = f"{measurement.outcomes[0].label} {theirs} ms"
    note = f"{place}: {milliseconds(panel.seconds(outcome))} ms, {reference}"
    return Cell(found, times(found), note)


def mean_of(panel: Panel, measurements: Sequence[Measurement], position: int) -> Cell:
    """The geometric mean over the kernels of one framework that agree."""
    outcomes = [(m, m.outcomes[position]) for m in measurements]
    cells = [cell_of(panel, m, outcome) for m, outcome in outcomes]
    ratios = [cell.ratio for cell in cells if cell.ratio is not None]
    note = f"{outcomes[0][1].label}: {len(ratios)} of {len(cells)} kernels"
    if not ratios:
        return Cell(None, "–", note)
    mean = statistics.geometric_mean(ratios)
    return Cell(mean, times(mean), note)


def times(value: float) -> str:
    """A ratio in three digits, or two below one tenth."""
    if value >= 99.95:
        return f"{value:.0f}×"
    if value >= 9.995:
        return f"{value:.1f}×"
    return f"{value:.2f}×" if value >= 0.0995 else f"{value:.2g}×"


def cell_part(cell: Cell, x: float, row: int, weight: str = "400") -> str:
    """The rectangle of a cell with its text, and the line for the pointer."""
    words = text(x + CELL / 2, middle(row), cell.text, 11, cell.ink, "middle", weight)
    return (
        f"<g><title>{escape(cell.note)}</title>"
        f'<rect x="{x:.1f}" y="{TOP + ROW * row + 1}" width="{CELL - 2}" height="{ROW - 2}" '
        f'fill="{cell.fill}" stroke="{GRID}" stroke-width="0.5"/>{words}</g>'
    )


def middle(row: int) -> float:
    """The base line of the text in a row."""
    return TOP + ROW * row + ROW / 2 + 4


def legend(x: float, y: float) -> list[str]:
    """The colour scale."""
    steps = [2.0**power for power in range(-4, 5)]
    parts = []
    for index, value in enumerate(steps):
        cell = Cell(value, "", "")
        label = f"{value:g}×" if value >= 1 else f"1/{1 / value:g}"
        left = x + 46 * index
        parts.append(
            f'<rect x="{left}" y="{y}" width="44" height="12" fill="{cell.fill}" '
            f'stroke="{GRID}" stroke-width="0.5"/>'
        )
        parts.append(text(left + 22, y + 26, label, 11, MUTED, "middle"))
    note = "times as fast as the reference; grey: wrong or failed"
    parts.append(text(x, y + 42, note, 11, MUTED, "start"))
    return parts


def blend(colour: str, share: float) -> str:
    """`colour` mixed with white."""
    channels = [round(255 + (value - 255) * share) for value in rgb(colour)]
    return "#" + "".join(f"{value:02x}" for value in channels)


def luminance(colour: str) -> float:
    """How bright a colour looks, from 0 to 1."""
    red, green, blue = rgb(colour)
    return (0.299 * red + 0.587 * green + 0.114 * blue) / 255


def rgb(colour: str) -> tuple[int, int, int]:
    """`#rrggbb` as three numbers."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
