"""Products and norms of vectors and matrices."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TypeAlias

from fastnp._loops import array_operators, arrays, creation, element_loops, reductions
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import I8, Value

Operand: TypeAlias = "Value | Elementwise"
Root: TypeAlias = Callable[[Emitter, list[Operand]], Operand]


def product(e: Emitter, arguments: list[Operand]) -> Operand:
    """`np.dot(a, b)`, `np.matmul`, `np.inner` of vectors."""
    if len(arguments) == 2 and all(arrays.is_array(x) for x in arguments):
        return reductions.inner(e, *arguments)
    raise Unsupported("a product with a number")


# Orders of the norm that are an extreme or a sum of absolute values.
FOLDS: Mapping[object, str] = {math.inf: "max", -math.inf: "min", 1: "sum"}


def norm(
    e: Emitter, value: Operand, order: object, axis: int | None, keepdims: bool, root: Root
) -> Operand:
    """`np.linalg.norm(x, ord, axis)` of doubles, as NumPy computes it; `root` is its square
    root.
    """
    if not arrays.is_array(value):
        raise Unsupported("norm of a number")
    source = arrays.elements(e, value)
    if source.char != "d" or not source.shape:
        raise Unsupported(f"norm of {source.char}")
    is_of_vectors = len(source.shape) == 1 or axis is not None
    if type(order) in (int, float) and order in FOLDS and is_of_vectors:
        e.leave_if(e.text.op(I8, "icmp.eq", arrays.size(e, source.shape), e.text.integer(0)))
        absolute = array_operators.unary(e, "absolute", value)
        return reductions.reduced(e, FOLDS[order], absolute, axes_of(axis), keepdims)
    if order is not None and not (type(order) is int and order == 2 and is_of_vectors):
        raise Unsupported("a norm of this order")
    if axis is not None:
        squares = array_operators.binary(e, "multiply", value, value)
        return root(e, [reductions.reduced(e, "sum", squares, axes_of(axis), keepdims)])
    if keepdims:
        raise Unsupported("norm with these arguments")
    vector = element_loops.in_memory(e, value)
    if len(source.shape) > 1:
        vector = in_a_row(e, vector)
    square = creation.scalar(reductions.inner(e, vector, vector), "norm")
    return root(e, [e.settle(square)])


def axes_of(axis: int | None) -> tuple[int, ...] | None:
    return None if axis is None else (axis,)


def in_a_row(e: Emitter, array: Value) -> Value:
    """The elements of an array in C order as a vector; another order is left to the interpreter."""
    type_, extents = arrays.array_type(array), arrays.shape(array)
    strides = arrays.dense_strides(e, type_.char, extents)
    for own, dense in zip(arrays.steps(e, array), strides, strict=True):
        e.leave_unless(e.text.op(I8, "icmp.eq", own, dense))
    count = arrays.size(e, extents)
    (step,) = arrays.dense_strides(e, type_.char, (count,))
    kind = type_._replace(ndim=1, is_dense=True, is_root=False, is_whole=False, order=())
    return Value(kind, (arrays.address(array), count, step))
