"""Arrays made of ranges, and arrays whose elements are moved: `arange`, `linspace`, `roll`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeAlias

from fastnp._loops import (
    array_operators,
    arrays,
    creation,
    element_loops,
    literals,
    number_arrays,
    numbers,
    slices,
    undo,
)
from fastnp._loops.arrays import Elementwise, Indices, Item
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import COMPLEX_CHAR, F64, I8, I64, INT, NP_INT, Number, Value

Operand: TypeAlias = "Value | Elementwise"
Expression: TypeAlias = Callable[[Emitter, ast.expr], "Value | Elementwise"]
Make: TypeAlias = Callable[[Emitter, list[Operand]], Operand]

WHOLE = (None, None, None)
# The integers that are the arguments of a range.
OF_ARANGE = (INT, NP_INT, Number("int|l"))


def integers(e: Emitter, arguments: list[Operand], most: int, what: str) -> list[Value]:
    """The arguments of a function that takes from one to `most` of Python's integers."""
    values = [e.settle(creation.scalar(value, what)) for value in arguments]
    if not 1 <= len(values) <= most or any(value.type != INT for value in values):
        raise Unsupported(f"{what} of these arguments")
    return values


def arange(is_ours: bool) -> Make:
    """`np.arange(n)`, `np.arange(a, b)`, `np.arange(a, b, step)` of integers of 64 bits; leaves
    where the step is zero.
    """

    def compute(e: Emitter, arguments: list[Operand]) -> Operand:
        text, zero = e.text, e.text.integer(0)
        values = [creation.scalar(value, "arange") for value in arguments]
        if not 1 <= len(values) <= 3 or any(v.type not in OF_ARANGE for v in values):
            raise Unsupported("arange of these arguments")
        start, stop, step = zero, values[0].register, text.integer(1)
        if len(values) > 1:
            start, stop = (value.register for value in values[:2])
        if len(values) > 2:
            step = values[2].register
        e.leave_if(text.op(I8, "icmp.eq", step, zero))
        is_back = text.op(I8, "icmp.lt", step, zero)
        low = text.op(I64, "select", is_back, stop, start)
        high = text.op(I64, "select", is_back, start, stop)
        width = numbers.overflowing(e, "sub", high, low)
        # NumPy counts the elements by a division of doubles.
        e.leave_if(text.op(I8, "icmp.gt", width, text.integer(numbers.EXACT_INTEGERS)))
        size = text.op(I64, "select", is_back, text.op(I64, "sub", zero, step), step)

        def element(indices: Indices) -> str:
            moved = text.op(I64, "mul", arrays.register_of(e, indices[0]), step)
            return text.op(I64, "add", start, moved)

        return Elementwise("l", (slices.count(e, width, size),), element, (), False, is_ours)

    return compute


def linspace(is_ours: bool) -> Make:
    """`np.linspace(a, b, n=50)`, as NumPy rounds it; what is no range is left."""

    def compute(e: Emitter, arguments: list[Operand]) -> Operand:
        text = e.text
        values = [e.settle(creation.scalar(value, "linspace")) for value in arguments]
        if len(values) == 2:
            values.append(numbers.literal(e, 50))
        if len(values) != 3 or values[2].type != INT:
            raise Unsupported("linspace with these arguments")
        start, stop = (numbers.convert(e, value, "d", checked=False) for value in values[:2])
        count = values[2].register
        last = text.op(I64, "sub", count, text.integer(1))
        e.leave_unless(text.op(I8, "icmp.gt", last, text.integer(0)))
        step = text.op(F64, "fdiv", text.op(F64, "fsub", stop, start), text.op(F64, "i2f", last))
        e.leave_unless(e.is_finite(step))
        e.leave_if(text.op(I8, "fcmp.eq", step, text.float(0.0, F64)))

        def element(indices: Indices) -> str:
            index = arrays.register_of(e, indices[0])
            moved = text.op(F64, "fmul", text.op(F64, "i2f", index), step)
            is_last = text.op(I8, "icmp.eq", index, last)
            return text.op(F64, "select", is_last, stop, text.op(F64, "fadd", moved, start))

        return Elementwise("d", (count,), element, (), False, is_ours)

    return compute


def identity(is_ours: bool) -> Make:
    """`np.identity(n)`, whose second argument would be a type."""
    return eye(is_ours, most=1)


def eye(is_ours: bool, most: int = 2) -> Make:
    """`np.eye(n)`, `np.eye(n, m)`."""

    def compute(e: Emitter, arguments: list[Operand]) -> Operand:
        text = e.text
        values = integers(e, arguments, most, "eye")
        extents = (values[0].register, values[-1].register)
        shape = number_arrays.filled(e, extents, 0, "d", is_ours).shape

        def element(indices: Indices) -> str:
            row, column = (arrays.register_of(e, index) for index in indices)
            is_diagonal = text.op(I8, "icmp.eq", row, column)
            return text.op(F64, "select", is_diagonal, text.float(1.0, F64), text.float(0.0, F64))

        return Elementwise("d", shape, element, (), False, is_ours)

    return compute


def in_memory(e: Emitter, value: Operand, what: str) -> Value:
    """An array at an address."""
    if not arrays.is_array(value):
        raise Unsupported(f"{what} of a number")
    return element_loops.in_memory(e, value)


def difference(e: Emitter, arguments: list[Operand]) -> Operand:
    """`np.diff(x)`: of neighbours along the last axis."""
    if len(arguments) != 1:
        raise Unsupported("diff with these arguments")
    array = in_memory(e, arguments[0], "diff")
    if arrays.array_type(array).char == "?":
        raise Unsupported("diff of truth values")
    one, back = numbers.literal(e, 1), numbers.literal(e, -1)
    after = arrays.view(e, array, [Item("ellipsis"), Item("slice", (one, None, None))])
    before = arrays.view(e, array, [Item("ellipsis"), Item("slice", (None, back, None))])
    return array_operators.binary(e, "subtract", after, before)


def outer(e: Emitter, arguments: list[Operand]) -> Operand:
    """`np.outer(a, b)` of vectors."""
    if len(arguments) != 2:
        raise Unsupported("outer with these arguments")
    left, right = (in_memory(e, value, "outer") for value in arguments)
    if arrays.array_type(left).ndim != 1 or arrays.array_type(right).ndim != 1:
        raise Unsupported("outer of arrays of several axes")
    column = arrays.view(e, left, [Item("slice", WHOLE), Item("newaxis")])
    return array_operators.binary(e, "multiply", column, right)


def roll(e: Emitter, node: ast.Call, expression: Expression) -> Operand:
    """`np.roll(x, shift, axis=None)` along one axis."""
    given = literals.keywords(node.keywords, ("axis",))
    if len(node.args) == 3 and not given:
        given = {"axis": node.args[2]}
    if not 2 <= len(node.args) <= 2 + len(given):
        raise Unsupported("roll with these arguments")
    axis = literals.known(expression(e, given["axis"])) if given else None
    if not (axis is None or type(axis) is int):
        raise Unsupported("an axis of this kind")
    value, shift = undo.in_order(e, node.args[:2], expression)
    return rolled(e, value, e.settle(creation.scalar(shift, "roll")), axis)


def rolled(e: Emitter, value: Operand, shift: Value, axis: int | None) -> Elementwise:
    """`np.roll(x, shift, axis)` along one axis."""
    text = e.text
    if not arrays.is_array(value):
        raise Unsupported("roll of a number")
    source = arrays.by_element(e, arrays.elements(e, value))
    ndim = len(source.shape)
    if source.char == COMPLEX_CHAR or (axis is None and ndim != 1):
        raise Unsupported("roll of several axes, or of complex numbers")
    at = 0 if axis is None else axis
    if not -ndim <= at < ndim or shift.type != INT:
        raise Unsupported("roll with these arguments")
    if isinstance(value, Value) and ndim > 1:
        creation.check_copied_order(e, value)
    at %= ndim
    extent = source.shape[at]
    e.leave_unless(text.op(I8, "icmp.gt", extent, text.integer(0)))
    _, moved = numbers.floor_division(e, shift.register, extent)

    def element(indices: Indices) -> str:
        index = text.op(I64, "sub", arrays.register_of(e, indices[at]), moved)
        is_before = text.op(I8, "icmp.lt", index, text.integer(0))
        index = text.op(I64, "select", is_before, text.op(I64, "add", index, extent), index)
        return source.element((*indices[:at], index, *indices[at + 1 :]))

    return source._replace(element=element, packed=None, formula=None)
