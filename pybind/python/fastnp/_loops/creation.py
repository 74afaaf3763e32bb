"""Functions that make arrays and deques: `zeros`, `full`, `array`, `copy`, `deque`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeAlias

import numpy

from fastnp._loops import arrays, lists, number_arrays, numbers, scratch, tuples
from fastnp._loops.arrays import Elementwise
from fastnp._loops.counted_loops import for_each
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import (
    COMPLEX_CHAR,
    I8,
    I64,
    MEMORY,
    SCALARS,
    SIZES,
    ArrayType,
    Number,
    ObjectType,
    TupleType,
    Value,
)

Operand: TypeAlias = "Value | Elementwise"
Expression: TypeAlias = Callable[[Emitter, ast.expr], Operand]

# Functions that make arrays, and the number that they are full of. That of `empty` is any.
FILLERS = {"zeros": 0, "ones": 1, "empty": 0}
DTYPES = (float, int, bool, complex, numpy.complex128, *SCALARS)


def scalar(value: Operand, what: str) -> Value:
    if isinstance(value, Elementwise):
        raise Unsupported(f"{what} of an array")
    numbers.number(value, what)
    return value


def array_of_list(e: Emitter, node: ast.Call, is_ours: bool, expression: Expression) -> Operand:
    """`np.array([a, b, …])`, `np.array([[a, b], [c, d]])`, or a copy of an array."""
    if len(node.args) != 1:
        raise Unsupported("array with more arguments")
    if isinstance(node.args[0], ast.List):
        items, rows = node.args[0].elts, 0
        parts = [item.elts for item in items if isinstance(item, ast.List)]
        if len(parts) == len(items) and len({*map(len, parts)}) == 1:
            items, rows = [item for row in parts for item in row], len(parts)
        values = [scalar(expression(e, item), "array") for item in items]
        return number_arrays.listed(e, values, is_ours, rows)
    return copy(e, [expression(e, node.args[0])])


def deque_of(e: Emitter, node: ast.Call, expression: Expression) -> Value:
    """`deque()`, `deque([a, b, …])`."""
    if not node.args:
        return lists.display(e, [], node, is_deque=True)
    if len(node.args) != 1 or not isinstance(node.args[0], ast.List | ast.Tuple):
        raise Unsupported("a deque of this")
    values = [expression(e, item) for item in node.args[0].elts]
    if not all(isinstance(value, Value) for value in values):
        raise Unsupported("a deque of arrays")
    items = [value for value in values if isinstance(value, Value)]
    return lists.display(e, items, node, is_deque=True)


def copy(e: Emitter, arguments: list[Operand]) -> Operand:
    """`np.copy(x)`: a new array of the same elements, in the same order."""
    if len(arguments) != 1 or not arrays.is_array(arguments[0]):
        raise Unsupported("a copy of no array")
    (value,) = arguments
    source = arrays.elements(e, value)
    if isinstance(value, Value) and len(source.shape) > 1:
        check_copied_order(e, value)
    return source


def flattened(e: Emitter, value: Operand) -> Elementwise:
    """`x.flatten()`: a new array with one axis."""
    source = arrays.by_element(e, arrays.elements(e, value))
    if source.char == COMPLEX_CHAR:
        raise Unsupported("flatten of complex numbers")
    arrays.refuse_many(e, source.shape)
    memory, count = one_after_another(e, source, source.char)
    return arrays.in_scratch(e, memory, source.char, (count,), arrays.is_ours(source))


def one_after_another(e: Emitter, source: Elementwise, char: str) -> tuple[str, str]:
    """All elements of an array one after another in new memory, and their number."""
    text, have = e.text, Number(source.char)
    count = arrays.size(e, source.shape)
    e.spend(count)
    memory, at = scratch.take(e, arrays.bytes_of(e, char, count)), text.register(I64)
    text.copy(at, memory)

    def store(indices: arrays.Indices) -> None:
        value = Value(have, (source.element(indices),))
        arrays.store(e, char, at, numbers.convert(e, value, char, checked=False))
        text.line(f"{at} = add {at}, {text.integer(SIZES[char])}")

    for_each(e, source.shape, store)
    if source.warns:
        e.leave_if_raised()
    return memory, count


def check_copied_order(e: Emitter, array: Value) -> None:
    """Leaves where a copy of an array, or an array like it, has another order than operations have:
    there axes of one element have a stride like all others.
    """
    order = arrays.array_type(array).order
    if order is None:
        raise Unsupported("a copy of an array whose order in memory is not known")
    steps = [arrays.magnitude(e, stride) for stride in arrays.strides(array)]
    axes = order or range(len(steps))
    for slower, faster in pairwise(axes):
        e.leave_unless(e.text.op(I8, "icmp.ge", steps[slower], steps[faster]))


def filled(value: int, is_ours: bool) -> Callable[[Emitter, list[Operand]], Operand]:
    """`np.zeros(n)`, `np.ones((n, m), float)`."""

    def compute(e: Emitter, arguments: list[Operand]) -> Operand:
        if not 1 <= len(arguments) <= 2 or not isinstance(arguments[0], Value):
            raise Unsupported("an array of this shape")
        shape = arguments[0]
        lengths = tuples.items_of(shape) if isinstance(shape.type, TupleType) else [shape]
        if not all(isinstance(n.type, Number) and n.type.is_integer for n in lengths):
            raise Unsupported("an array of this shape")
        char = "d" if len(arguments) == 1 else element_type(arguments[1])
        return number_arrays.filled(e, tuple(n.register for n in lengths), value, char, is_ours)

    return compute


def full(is_ours: bool) -> Callable[[Emitter, list[Operand]], Operand]:
    """`np.full(n, value)`, `np.full((n, m), value)`."""

    def compute(e: Emitter, arguments: list[Operand]) -> Operand:
        if len(arguments) != 2:
            raise Unsupported("full with other arguments")
        value = e.settle(scalar(arguments[1], "full"))
        char = {"int": "l", "float": "d", "bool": "?"}.get(numbers.number(value).name)
        if char is None:
            raise Unsupported(f"an array full of {value.type}")
        made = filled(0, is_ours)(e, [arguments[0]])
        assert isinstance(made, Elementwise)
        everywhere = arrays.number_everywhere(e, char, value.register)
        return everywhere._replace(shape=made.shape, is_ours=is_ours)

    return compute


def filled_like(value: int, is_ours: bool) -> Callable[[Emitter, list[Operand]], Operand]:
    """`np.zeros_like(x)` and the like, in the order of the array."""

    def compute(e: Emitter, arguments: list[Operand]) -> Operand:
        array = arguments[0] if len(arguments) == 1 else None
        if not isinstance(array, Value) or not isinstance(array.type, ArrayType):
            raise Unsupported("an array like this")
        type_, extents = array.type, arrays.shape(array)
        if type_.is_ours != is_ours:
            raise Unsupported("an array like this")
        if type_.ndim > 1:
            check_copied_order(e, array)
        made = number_arrays.filled(e, extents, value, type_.char, is_ours)
        return made._replace(order=type_.order)

    return compute


def element_type(value: Operand) -> str:
    """The type of elements that a `dtype` names: a class."""
    type_ = value.type if isinstance(value, Value) else None
    class_: Any = type_.value if isinstance(type_, ObjectType) else None
    char = numpy.dtype(class_).char if class_ in DTYPES else ""
    if char not in (*MEMORY, COMPLEX_CHAR):
        raise Unsupported("an array of this type")
    return char
