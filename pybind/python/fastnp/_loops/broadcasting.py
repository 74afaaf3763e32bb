"""Axes that are broadcast because they have one element now: the code is written for that, and left
where they have more.
"""

from __future__ import annotations

from collections.abc import Sequence

from fastnp._loops.emitter import Emitter
from fastnp._loops.types import I8

Shape = tuple[str, ...]


def with_ones(e: Emitter, shapes: Sequence[Shape]) -> list[Shape]:
    """Shapes that are broadcast together. An axis that has one element now, beside one that has
    more, is checked for that, and is the constant.
    """
    ndim = max(map(len, shapes))
    found = [list(shape) for shape in shapes]
    for axis in range(-ndim, 0):
        beside = [shape[axis] for shape in found if len(shape) >= -axis]
        lengths = {extent: e.lengths.get(extent) for extent in beside}
        if all(length is None or length == 1 for length in lengths.values()):
            continue
        for shape in found:
            if len(shape) >= -axis and lengths[shape[axis]] == 1:
                shape[axis] = one(e, shape[axis])
    return [tuple(shape) for shape in found]


def one(e: Emitter, extent: str) -> str:
    """The length of an axis that must have one element."""
    constant = e.text.integer(1)
    if e.text.ranges.get(extent) != (1, 1):
        e.leave_unless(e.text.op(I8, "icmp.eq", extent, constant))
    return constant
