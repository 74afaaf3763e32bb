"""The order of an array's axes in memory, as far as it is known when a loop is compiled.

NumPy gives a new array the axis order of the operands that it is computed from (`order="K"`): its
iterator sorts the axes by the operands' strides. Compiled code knows no strides, but the order in
which they decrease; views keep it, as each axis steps over all elements of the next one. The rules
on strides are those of `core/src/array/result_order.rs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

from fastnp._loops.records import Record

# The axes from the slowest to the fastest; `()` in C order, `None` where it is not known.
Order: TypeAlias = tuple[int, ...] | None


class Operand(Record):
    """An operand of an operation: its order, and its axes by those of the result, from the first
    on; `None` for an axis that it has not, or that has one element.
    """

    order: Order
    axes: Sequence[int | None]


def canonical(axes: Sequence[int]) -> tuple[int, ...]:
    """An order, `()` if it is C order."""
    return () if list(axes) == sorted(axes) else tuple(axes)


def of_strides(shape: Sequence[int], strides: Sequence[int]) -> Order:
    """The order of an array in memory: `None` if an axis does not step over all of the next one.

    Axes of one element say nothing; they stand as in C order.

    >>> of_strides((2, 3), (8, 16)), of_strides((2, 3), (24, 8)), of_strides((2, 3), (0, 8))
    ((1, 0), (), None)
    """
    longer = [axis for axis in range(len(shape)) if shape[axis] > 1]
    ordered = sorted(longer, key=lambda axis: -abs(strides[axis]))
    if any(not strides[axis] for axis in longer):
        return None
    for slower, faster in pairwise(ordered):
        if abs(strides[slower]) < abs(strides[faster]) * shape[faster]:
            return None
    if len(longer) == len(shape):
        return canonical(ordered)
    return () if ordered == longer else None


def of_result(ndim: int, operands: Sequence[Operand]) -> Order:
    """The order of an operation's result.

    >>> of_result(2, [Operand((1, 0), (0, 1)), Operand((), (None, 0))])
    (1, 0)
    >>> of_result(2, [Operand((1, 0), (0, 1)), Operand((), (0, 1))])
    ()
    """
    innermost_first: list[int] = []
    for axis in reversed(range(ndim)):
        position = len(innermost_first)
        for i in reversed(range(len(innermost_first))):
            votes = [goes_inside(operand, axis, innermost_first[i]) for operand in operands]
            # Where operands disagree, C order stays.
            if "stays" in votes:
                break
            if "unknown" in votes:
                return None
            if "swaps" in votes:
                position = i
        innermost_first.insert(position, axis)
    return canonical(innermost_first[::-1])


def goes_inside(operand: Operand, axis: int, other: int) -> str:
    """Whether an operand would have an axis lie inside a later one: it `swaps` them, or the axis
    `stays`; `unknown`, or `""` where the operand says nothing.
    """
    own, later = operand.axes[axis], operand.axes[other]
    if own is None or later is None:
        return ""
    if operand.order is None:
        return "unknown"
    if not operand.order:
        return "stays" if own < later else "swaps"
    is_outside = operand.order.index(own) < operand.order.index(later)
    return "stays" if is_outside else "swaps"


def of_view(order: Order, axes: Sequence[int | None]) -> Order:
    """The order of a view that has these axes of an array, `None` for new ones of one element."""
    kept = [axis for axis in axes if axis is not None]
    if order == () and kept == sorted(kept):
        return ()
    return of_result(len(axes), [Operand(order, axes)])


def of_gathered(lead: Sequence[Order], ndim: int, part: Order, rest: int) -> Order:
    """The order of `x[index, …]`: `ndim` axes of the indices, then `rest` axes of the part of the
    array that each position selects.
    """
    if ndim + rest < 2:
        return ()
    if part is None or any(order != () for order in lead):
        return None
    return canonical([*range(ndim), *(ndim + axis for axis in part or range(rest))])
