"""Speed-ups by size as an SVG: a small panel for each expression, all on the same logarithmic axes.

Written without a library, an element a line, so that the file is small and its diffs are readable.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from npbench.plot import GRID, INK, MUTED, PAPER, text

# Colours that are distinct in print and for the colour-blind (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")
ACROSS, WIDTH, HEIGHT = 4, 240, 150
LEFT, TOP, GAP, BOTTOM = 56, 64, 34, 56

# Ratios by size, by module, of one expression.
Lines = Mapping[str, Sequence[tuple[int, float]]]


def svg(panels: Mapping[str, Lines], title: str, caption: str) -> str:
    """The SVG of the panels of some expressions."""
    modules = list(dict.fromkeys(module for lines in panels.values() for module in lines))
    points = [point for lines in panels.values() for line in lines.values() for point in line]
    sizes = decades([n for n, _ in points])
    ratios = decades([1.0, *(ratio for _, ratio in points)])
    down = math.ceil(len(panels) / ACROSS)
    width = LEFT + ACROSS * (WIDTH + GAP)
    height = TOP + down * (HEIGHT + GAP) + BOTTOM - GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif">',
        f"<title>{title}</title>",
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
        text(LEFT, 28, title, 17, INK, "start", "600"),
        text(LEFT + ACROSS * (WIDTH + GAP) / 2, height - 10, caption, 12, MUTED, "middle"),
    ]
    for number, module in enumerate(modules):
        parts.append(text(width - GAP, 20 + 14 * number, module, 12, COLOURS[number], "end", "600"))
    for number, (name, lines) in enumerate(panels.items()):
        column, row = number % ACROSS, number // ACROSS
        left, top = LEFT + column * (WIDTH + GAP), TOP + row * (HEIGHT + GAP)
        parts += panel(name, lines, modules, (left, top), sizes, ratios)
        if column == 0:
            parts += [
                text(left - 6, y_of(ratio, ratios, top) + 4, f"{ratio:g}×", 10, MUTED, "end")
                for ratio in ticks(ratios)
            ]
        if number + ACROSS >= len(panels):
            floor = top + HEIGHT + 16
            parts += [
                text(x_of(n, sizes, left), floor, power(n), 10, MUTED, "middle")
                for n in ticks(sizes)
            ]
    return "\n".join([*parts, "</svg>", ""])


def panel(
    name: str,
    lines: Lines,
    modules: Sequence[str],
    corner: tuple[float, float],
    sizes: tuple[int, int],
    ratios: tuple[int, int],
) -> list[str]:
    """One expression: its name, a grid of decades, the line of equal speed, and a line a module."""
    left, top = corner
    grid = [f"M{x_of(n, sizes, left):.0f} {top}v{HEIGHT}" for n in ticks(sizes)]
    grid += [f"M{left} {y_of(ratio, ratios, top):.0f}h{WIDTH}" for ratio in ticks(ratios)]
    even = y_of(1.0, ratios, top)
    parts = [
        text(left, top - 6, name, 12, INK, "start"),
        f'<path d="{"".join(grid)}" stroke="{GRID}"/>',
        f'<path d="M{left} {even:.0f}h{WIDTH}" stroke="{INK}"/>',
    ]
    for module, line in lines.items():
        at = [f"{x_of(n, sizes, left):.0f} {y_of(ratio, ratios, top):.1f}" for n, ratio in line]
        colour = COLOURS[modules.index(module)]
        parts.append(
            f'<path d="M{"L".join(at)}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
        )
        dots = "".join(f"M{point}h0" for point in at)
        parts.append(
            f'<path d="{dots}" stroke="{colour}" stroke-width="5" stroke-linecap="round"/>'
        )
    return parts


def decades(values: Sequence[float]) -> tuple[int, int]:
    """The exponents of the powers of ten below and above some values."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def ticks(ends: tuple[int, int]) -> list[float]:
    """The powers of ten between two exponents."""
    return [10.0**exponent for exponent in range(ends[0], ends[1] + 1)]


def x_of(n: float, ends: tuple[int, int], left: float) -> float:
    """The x coordinate of a size."""
    return left + WIDTH * (math.log10(n) - ends[0]) / (ends[1] - ends[0])


def y_of(ratio: float, ends: tuple[int, int], top: float) -> float:
    """The y coordinate of a ratio."""
    return top + HEIGHT * (ends[1] - math.log10(ratio)) / (ends[1] - ends[0])


def power(n: float) -> str:
    """A power of ten with a superscript exponent."""
    exponent = round(math.log10(n))
    return "1" if exponent == 0 else "10" + str(exponent).translate(SUPERSCRIPTS)


SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
