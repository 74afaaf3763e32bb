"""Arrays joined along an axis, which may be a new one: `concatenate`, `stack` and the like; and
triangles: `triu`, `tril`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeAlias

import numpy

from fastnp._loops import arrays, creation, element_loops, literals, numbers, scratch, tuples, undo
from fastnp._loops.arrays import Elementwise, Indices
from fastnp._loops.counted_loops import for_each
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import (
    COMPLEX_CHAR,
    I8,
    I64,
    INT,
    MEMORY,
    ArrayType,
    Number,
    TupleType,
    UnrolledList,
    Value,
)

# The axes that arrays of so many get, by function.
ROWS: dict[str, dict[int, tuple[int, ...]]] = {
    "vstack": {1: (0,)},
    "column_stack": {1: (1,)},
    "dstack": {1: (0, 2), 2: (2,)},
}

Operand: TypeAlias = "Value | Elementwise"
Expression: TypeAlias = Callable[[Emitter, ast.expr], Operand]

NAMES = ("concatenate", "stack", "hstack", "vstack", "dstack", "column_stack")
WITH_AXIS = ("concatenate", "stack")


def call(e: Emitter, name: str, node: ast.Call, expression: Expression, is_ours: bool) -> Operand:
    """`np.concatenate((a, b, …), axis=0)`, `np.stack` and the like."""
    given = literals.keywords(node.keywords, ("axis",) if name in WITH_AXIS else ())
    if len(node.args) == 2 and name in WITH_AXIS and not given:
        given = {"axis": node.args[1]}
    if not 1 <= len(node.args) <= 1 + len(given):
        raise Unsupported(f"{name} with these arguments")
    axis = literals.known(expression(e, given["axis"])) if given else 0
    if type(axis) is not int:
        raise Unsupported("an axis of this kind")
    parts = sequence(e, node.args[0], expression)
    sources = [in_memory(e, part) for part in parts]
    for source in sources:
        check_order(e, source)
    if name == "stack":
        axis = known_axis(axis, arrays.array_type(sources[0]).ndim + 1)
        sources = [with_axes(e, source, axis) for source in sources]
    elif name == "hstack" and arrays.array_type(sources[0]).ndim > 1:
        axis = 1
    elif name in ROWS:
        axis = {"vstack": 0, "column_stack": 1, "dstack": 2}[name]
        new = [ROWS[name].get(arrays.array_type(source).ndim, ()) for source in sources]
        sources = [with_axes(e, source, *axes) for source, axes in zip(sources, new, strict=True)]
    return joined(e, sources, axis, is_ours or any(map(arrays.is_ours, parts)))


def sequence(e: Emitter, node: ast.expr, expression: Expression) -> list[Operand]:
    """The arrays of a sequence of known length."""
    if isinstance(node, ast.Tuple | ast.List) and node.elts:
        return undo.in_order(e, node.elts, expression)
    value = expression(e, node)
    if not isinstance(value, Value) or not isinstance(value.type, TupleType | UnrolledList):
        raise Unsupported("arrays of a sequence, joined")
    return [*tuples.items_of(value)]


def in_memory(e: Emitter, value: Operand) -> Value:
    """An array at an address."""
    if not arrays.is_array(value):
        raise Unsupported("numbers, joined")
    return element_loops.in_memory(e, value)


def known_axis(axis: int, ndim: int) -> int:
    """An axis, counted from the first one."""
    if not -ndim <= axis < ndim:
        raise Unsupported("an axis that is not there")
    return axis % ndim


def with_axes(e: Emitter, source: Value, *axes: int) -> Value:
    """A view with new axes of one element, which will be these."""
    type_, one = arrays.array_type(source), e.text.integer(1)
    e.lengths[one] = 1
    extents, strides = [*arrays.shape(source)], [*arrays.strides(source)]
    for axis in axes:
        extents.insert(axis, one)
        strides.insert(axis, e.text.integer(0))
    kind = type_._replace(ndim=len(extents), is_dense=False, is_root=False, is_whole=False)
    return Value(kind, (arrays.address(source), *extents, *strides))


def common_char(types: list[ArrayType]) -> str:
    """The element type of arrays that are joined."""
    if len({type_.ndim for type_ in types}) > 1:
        raise Unsupported("arrays of several numbers of axes, joined")
    char = numpy.result_type(*(type_.char for type_ in types)).char
    char = "l" if char == "q" else char
    if char not in MEMORY:
        raise Unsupported(f"arrays joined to one of {numpy.dtype(char).name}")
    return char


def joined(e: Emitter, sources: list[Value], axis: int, is_ours: bool) -> Elementwise:
    """Arrays in C order, one after another along an axis, in scratch memory."""
    text = e.text
    types = [arrays.array_type(source) for source in sources]
    char, axis = common_char(types), known_axis(axis, types[0].ndim)
    total = text.integer(0)
    for source in sources:
        arrays.refuse_many(e, arrays.shape(source))
        total = text.op(I64, "add", total, arrays.shape(source)[axis])
        for k, (own, first) in enumerate(zip(arrays.shape(source), arrays.shape(sources[0]))):
            if k != axis and own != first:
                e.leave_unless(text.op(I8, "icmp.eq", own, first))
    expected = [e.lengths.get(arrays.shape(source)[axis]) for source in sources]
    if None not in expected:
        e.lengths[total] = sum(length or 0 for length in expected)
    extents = (*arrays.shape(sources[0])[:axis], total, *arrays.shape(sources[0])[axis + 1 :])
    count = arrays.size(e, extents)
    e.spend(count)
    memory = scratch.take(e, arrays.bytes_of(e, char, count))
    made = arrays.scratch_array(e, memory, char, extents, is_ours)
    strides, start = arrays.strides(made), memory
    for source in sources:
        place = Value(made.type, (start, *made.registers[1:]))

        def store(indices: Indices, source: Value = source, place: Value = place) -> None:
            at = arrays.element_address(e, source, arrays.strides(source), indices)
            to = arrays.element_address(e, place, strides, indices)
            item = arrays.load(e, arrays.array_type(source).char, at)
            arrays.store(e, char, to, numbers.convert(e, item, char, checked=False))

        for_each(e, arrays.shape(source), store)
        moved = text.op(I64, "mul", arrays.shape(source)[axis], strides[axis])
        start = text.op(I64, "add", start, moved)
    return arrays.elements(e, made)


def check_order(e: Emitter, source: Value) -> None:
    """Leaves where the result would have another order in memory than C order."""
    type_ = arrays.array_type(source)
    if type_.ndim > 1:
        if type_.order != ():
            raise Unsupported("arrays joined that are not in C order")
        creation.check_copied_order(e, source)


def triangle(is_upper: bool) -> Callable[[Emitter, list[Operand]], Operand]:
    """`np.triu(m, k=0)` or `np.tril`: zeros on the other side of a diagonal of a matrix."""

    def compute(e: Emitter, arguments: list[Operand]) -> Operand:
        text, value = e.text, arguments[0] if arguments else None
        if value is None or len(arguments) > 2 or not arrays.is_array(value):
            raise Unsupported("a triangle with these arguments")
        diagonal = arguments[1] if len(arguments) == 2 else numbers.literal(e, 0)
        if not isinstance(diagonal, Value) or diagonal.type != INT:
            raise Unsupported("a diagonal that is no integer")
        source = arrays.by_element(e, arrays.elements(e, value))
        if len(source.shape) != 2 or source.char == COMPLEX_CHAR or source.order != ():
            raise Unsupported("a triangle of this array")
        kind = Number(source.char)
        zero = numbers.convert(e, numbers.literal(e, 0), source.char, checked=False)

        def element(indices: Indices) -> str:
            row, column = (arrays.register_of(e, index) for index in indices)
            offset = text.op(I64, "sub", column, row)
            opcode = "icmp.ge" if is_upper else "icmp.le"
            is_kept = text.op(I8, opcode, offset, diagonal.register)
            return text.op(kind.registers[0], "select", is_kept, source.element(indices), zero)

        return source._replace(element=element, packed=None, formula=None, hides=True)

    return compute
