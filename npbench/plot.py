"""
The speed-ups as a horizontal bar chart on a logarithmic axis, largest first.

SVG is written without any library; PNG needs matplotlib.
Leaves the numbers to `report`.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from npbench.measure import Measurement
from npbench.report import agrees, ratio, summarise

# Colours that are distinct in print and for the colour-blind (Okabe and Ito): faster, slower, wrong
# or failed.
FASTER, SLOWER, WRONG = "#0072b2", "#d55e00", "#999999"
INK, MUTED, GRID, PAPER = "#1f2430", "#667085", "#e4e7ec", "#ffffff"
WIDTH, LEFT, RIGHT, TOP, BOTTOM, ROW = 860, 170, 80, 86, 62, 22


class PlotError(Exception):
    """A plot that cannot be drawn: no second framework, an unknown format, no matplotlib."""


@dataclass(frozen=True)
class Bar:
    """One kernel under one framework; `ratio` is None where it failed."""

    name: str
    ratio: float | None
    agrees: bool

    @property
    def colour(self) -> str:
        """The colour of the bar."""
        if not self.agrees or self.ratio is None:
            return WRONG
        return FASTER if self.ratio >= 1 else SLOWER

    @property
    def text(self) -> str:
        """The label at the end of the bar."""
        if self.ratio is None:
            return "failed"
        return f"{self.ratio:.2f}×" + ("" if self.agrees else " (differs)")


def check(path: Path) -> None:
    """Raise PlotError where `path` cannot be written, before anything is measured."""
    if path.suffix not in (".svg", ".png"):
        raise PlotError(f"cannot plot to {path.name}: the name has to end in .svg or .png")
    if path.suffix == ".png":
        load_matplotlib()


def write(path: Path, measurements: Sequence[Measurement], machine: dict[str, Any]) -> None:
    """Draw `measurements` to `path`."""
    check(path)
    bars = bars_of(measurements)
    lines = headings(measurements, machine)
    if path.suffix == ".svg":
        path.write_text(svg(bars, *lines), encoding="utf-8")
    else:
        png(path, bars, *lines)


def bars_of(measurements: Sequence[Measurement]) -> list[Bar]:
    """A bar for each kernel and framework but the reference, largest first, failures last."""
    bars = []
    for m in measurements:
        for outcome in m.outcomes[1:]:
            name = m.kernel if len(m.outcomes) == 2 else f"{m.kernel} ({outcome.label})"
            bars.append(Bar(name, ratio(m, outcome), agrees(m, outcome)))
    if not bars:
        raise PlotError("a plot of speed-ups needs a second framework")
    return sorted(bars, key=lambda bar: bar.ratio or 0.0, reverse=True)


def headings(measurements: Sequence[Measurement], machine: dict[str, Any]) -> tuple[str, str]:
    """The title and the line below it."""
    reference = measurements[0].outcomes[0].label
    parts = []
    for summary in summarise(measurements):
        mean = summary.geometric_mean
        parts.append(summary.label + ("" if mean is None else f": geometric mean {mean:.2f}×"))
    title = f"NPBench, preset {measurements[0].preset}: speed-up over {reference}"
    below = f"{'; '.join(parts)} · {machine['cpu']}, {machine['usable_cores']} cores"
    return title, below


def axis(bars: Sequence[Bar]) -> tuple[float, float]:
    """The ends of the axis: the nearest steps below and above all bars and 1."""
    values = [1.0, *(bar.ratio for bar in bars if bar.ratio)]
    low, high = min(values) / 1.15, max(values) * 1.15
    return max((t for t in steps() if t <= low), default=low), min(
        (t for t in steps() if t >= high), default=high
    )


def steps() -> list[float]:
    """1, 2 and 5 in every decade."""
    return [digit * 10.0**decade for decade in range(-6, 7) for digit in (1, 2, 5)]


def svg(bars: Sequence[Bar], title: str, below: str) -> str:
    """The chart as an SVG document."""
    low, high = axis(bars)
    height = TOP + ROW * len(bars) + BOTTOM
    span = (WIDTH - LEFT - RIGHT) / math.log(high / low)

    def x(value: float) -> float:
        return LEFT + span * math.log(value / low)

    floor = TOP + ROW * len(bars)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-family="Helvetica, Arial, sans-serif">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="{PAPER}"/>',
        text(24, 34, title, 17, INK, "start", "600"),
        text(24, 56, below, 12, MUTED, "start"),
    ]
    for tick in [t for t in steps() if low <= t <= high]:
        parts.append(vertical(x(tick), TOP - 6, floor, GRID, 1))
        parts.append(text(x(tick), floor + 18, f"{tick:g}×", 11, MUTED, "middle"))
    for index, bar in enumerate(bars):
        parts += bar_parts(bar, TOP + ROW * index, x)
    parts.append(vertical(x(1.0), TOP - 6, floor, INK, 1.5))
    caption = "times as fast (logarithmic; right of the line is faster)"
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, floor + 42, caption, 12, MUTED, "middle"))
    return "\n".join([*parts, "</svg>", ""])


def bar_parts(bar: Bar, y: float, x: Any) -> list[str]:
    """The name, the bar and its label."""
    middle = y + ROW / 2 + 4
    value = bar.ratio or 1.0
    left, right = sorted((x(1.0), x(value)))
    # The label of a slower kernel is to the right of the line, so that it covers no name.
    label = text(right + 6, middle, bar.text, 11, INK, "start")
    return [
        text(LEFT - 12, middle, bar.name, 12, INK, "end"),
        f'<rect x="{left:.1f}" y="{y + 4:.1f}" width="{right - left:.1f}" '
        f'height="{ROW - 8}" rx="2" fill="{bar.colour}"/>',
        label,
    ]


def text(
    x: float, y: float, words: str, size: int, colour: str, anchor: str, weight: str = "400"
) -> str:
    """A line of text."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" '
        f'text-anchor="{anchor}" font-weight="{weight}">{escape(words)}</text>'
    )


def vertical(x: float, top: float, bottom: float, colour: str, width: float) -> str:
    """A vertical line."""
    return (
        f'<line x1="{x:.1f}" y1="{top:.1f}" x2="{x:.1f}" y2="{bottom:.1f}" '
        f'stroke="{colour}" stroke-width="{width}"/>'
    )


def load_matplotlib() -> Any:
    """`matplotlib.figure`; PlotError if it is not installed."""
    try:
        return importlib.import_module("matplotlib.figure")
    except ImportError:
        raise PlotError("a PNG needs matplotlib, which is not installed; ask for .svg") from None


def png(path: Path, bars: Sequence[Bar], title: str, below: str) -> None:
    """The chart as a PNG, through matplotlib."""
    figure = load_matplotlib().Figure(figsize=(9, 1.6 + 0.24 * len(bars)), layout="constrained")
    axes = figure.subplots()
    positions = range(len(bars))
    values = [bar.ratio or 1.0 for bar in bars]
    axes.barh(positions, [v - 1.0 for v in values], left=1.0, color=[b.colour for b in bars])
    axes.set_xscale("log")
    axes.set_xlim(*axis(bars))
    axes.set_yticks(positions, [bar.name for bar in bars])
    axes.invert_yaxis()
    axes.axvline(1.0, color=INK, linewidth=1.2)
    axes.grid(axis="x", color=GRID)
    axes.set_axisbelow(True)
    for position, (bar, value) in enumerate(zip(bars, values, strict=True)):
        axes.annotate(
            bar.text, (max(value, 1.0), position), (4, 0), None, "offset points", va="center"
        )
    figure.suptitle(title)
    axes.set_title(below, fontsize=8)
    axes.set_xlabel("times as fast (logarithmic)")
    figure.savefig(path, dpi=150)
