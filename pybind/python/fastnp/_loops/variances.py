"""Variances and standard deviations, in two passes as NumPy computes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from fastnp._loops import array_operators, arrays, creation, element_loops, numbers, reductions
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import F64, I8, I64, NP_FLOAT, Value

Operand: TypeAlias = "Value | Elementwise"
Root: TypeAlias = Callable[[Emitter, list[Operand]], Operand]

NAMES = ("var", "std")


def variance(
    e: Emitter, value: Operand, axes: tuple[int, ...] | None, keepdims: bool, ddof: int
) -> Operand:
    """`np.var(x, axis, ddof=ddof)` of doubles: the sum of the squared distances from the mean, over
    the number of elements less `ddof`. Where that is not positive the interpreter warns.
    """
    text, source = e.text, arrays.elements(e, value)
    if source.char != "d" or not source.shape:
        raise Unsupported(f"a variance of {source.char}")
    ndim = len(source.shape)
    if not all(-ndim <= axis < ndim for axis in axes or ()):
        raise Unsupported("a reduction along an axis that is not there")
    value = element_loops.in_memory(e, value)
    folded = range(ndim) if axes is None else {axis % ndim for axis in axes}
    count = arrays.size(e, [source.shape[axis] for axis in folded])
    degrees = text.op(I64, "sub", count, text.integer(ddof))
    e.leave_unless(text.op(I8, "icmp.gt", degrees, text.integer(0)))
    mean = reductions.reduced(e, "mean", value, axes, keepdims=len(folded) < ndim)
    if arrays.is_array(mean):
        # An element of it is read for each of the array.
        mean = element_loops.in_memory(e, mean)
    else:
        mean = e.settle(creation.scalar(mean, "mean"))
    distance = array_operators.binary(e, "subtract", value, mean)
    squares = array_operators.binary(e, "multiply", distance, distance)
    total = reductions.reduced(e, "sum", squares, axes, keepdims)
    divisor = Value(NP_FLOAT, (text.op(F64, "i2f", degrees),))
    if arrays.is_array(total):
        return array_operators.binary(e, "divide", total, divisor)
    return numbers.binary(e, "divide", creation.scalar(total, "sum"), divisor)


def reduced(
    e: Emitter,
    name: str,
    value: Operand,
    axes: tuple[int, ...] | None,
    keepdims: bool,
    ddof: int,
    root: Root,
) -> Operand:
    """`np.var(x)` or `np.std(x)`; `root` is the square root."""
    found = variance(e, value, axes, keepdims, ddof)
    if name == "var":
        return found
    return root(e, [found if isinstance(found, Elementwise) else e.settle(found)])
