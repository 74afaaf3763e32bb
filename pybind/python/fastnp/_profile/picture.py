"""A plan as a picture: a box for each kernel, in the order they run."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from fastnp._profile.record import memory_bandwidth, size_text, time_text

__all__ = ["draw"]

WIDTH, MARGIN, LINE, PAD = 860, 20, 18, 12
# Operations shown of a kernel.
MAX_LINES = 14
INK, MUTED, KERNEL, REFUSED = "#1f2430", "#667085", "#e6f1f8", "#b34e00"

Group = tuple[list[int], list[int], str | None, list[str], int, int | None]


def draw(title: str, groups: Sequence[Group]) -> str:
    """The picture as an SVG document."""
    parts: list[str] = []
    y = MARGIN + LINE
    for number, group in enumerate(groups):
        if group[2] is not None and number:
            parts.append(_text(MARGIN + PAD, y + LINE, f"not fused: {group[2]}", REFUSED))
            y += LINE + 8
        y = _box(parts, y, number, group)
    height = y + MARGIN
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-family="Helvetica, Arial, sans-serif" font-size="13">'
    )
    paper = f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>'
    name = f"<title>{escape(title)}</title>"
    return "\n".join([head, name, paper, _text(MARGIN, MARGIN, title, INK), *parts, "</svg>"])


def _box(parts: list[str], y: int, number: int, group: Group) -> int:
    """Adds a kernel's box; where the next one begins."""
    domain, folded, _, operations, size, nanoseconds = group
    shown = operations[:MAX_LINES]
    if len(operations) > len(shown):
        shown = [*shown, f"and {len(operations) - len(shown)} more"]
    height = LINE * (len(shown) + 1) + 2 * PAD
    top = y + 8
    parts.append(
        f'<g class="group"><rect x="{MARGIN}" y="{top}" width="{WIDTH - 2 * MARGIN}" '
        f'height="{height}" rx="6" fill="{KERNEL}" stroke="#0072b2"/>'
    )
    where = " × ".join(map(str, domain)) or "one element"
    if folded:
        where += f", folding axes {', '.join(map(str, folded))}"
    predicted = f"{size_text(size)}, {time_text(size / memory_bandwidth())} at the memory's speed"
    took = "" if nanoseconds is None else f", took {time_text(nanoseconds / 1e9)}"
    line = top + PAD + 10
    parts.append(_text(MARGIN + PAD, line, f"kernel {number} over {where}", INK, "600"))
    parts.append(_text(WIDTH - MARGIN - PAD, line, predicted + took, MUTED, anchor="end"))
    for i, operation in enumerate(shown, 1):
        parts.append(_text(MARGIN + 2 * PAD, line + LINE * i, operation, INK))
    parts.append("</g>")
    return top + height


def _text(
    x: int, y: int, words: str, colour: str, weight: str = "400", anchor: str = "start"
) -> str:
    return (
        f'<text x="{x}" y="{y}" fill="{colour}" font-weight="{weight}" '
        f'text-anchor="{anchor}">{escape(words)}</text>'
    )
