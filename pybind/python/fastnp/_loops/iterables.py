"""What loops and comprehensions iterate over: ranges, arrays, lists, tuples, strings, and Python's
functions of such.
"""

from __future__ import annotations

import ast

from fastnp._loops import iterators, lists, numbers, strings, tuples, unrolled
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.expressions import expression, number, single
from fastnp._loops.iterators import Items
from fastnp._loops.nodes import as_tuple
from fastnp._loops.types import (
    INT,
    ListType,
    ObjectType,
    RangeType,
    TupleType,
    UnrolledList,
    Value,
)


def iterated(e: Emitter, node: ast.expr) -> Items | Value:
    """The items of an iterable expression. A tuple or a list of known length is given as it is."""
    made = of_builtin(e, node)
    if made is not None:
        return made
    value = single(e, as_tuple(node))
    return value if isinstance(value.type, TupleType | UnrolledList) else items_of(e, value)


def items_of(e: Emitter, value: Items | Value) -> Items:
    """The items of a value, in registers that move on."""
    if not isinstance(value, Value):
        return value
    strings.refuse_known(e, value)
    if strings.is_text(value):
        return strings.items(e, value)
    if isinstance(value.type, ListType):
        return lists.items(e, value)
    return iterators.of_value(e, value)


def known_object(e: Emitter, node: ast.expr) -> object:
    """The object that a name stands for, known when the loop is compiled."""
    value = expression(e, node)
    known = isinstance(value, Value) and isinstance(value.type, ObjectType)
    return value.type.value if known else None  # type: ignore[union-attr]


def of_builtin(e: Emitter, node: ast.expr) -> Items | Value | None:
    """The items of `range(…)`, `enumerate(…)`, `zip(…)` or `reversed(…)`; `None` of others."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)) or node.keywords:
        return None
    function, nodes = known_object(e, node.func), node.args
    if function is range and 1 <= len(nodes) <= 3:
        return iterators.of_range(e, range_value(e, nodes))
    if function is enumerate and 1 <= len(nodes) <= 2:
        start = number(e, nodes[1]) if len(nodes) == 2 else numbers.literal(e, 0)
        if start.type != INT:
            raise Unsupported("enumerate from no integer")
        found = iterated(e, nodes[0])
        if unrolled.is_unrolled(found):
            return numbered(e, found, start)
        return iterators.enumerated(e, items_of(e, found), start)
    if function is zip and nodes:
        parts = [iterated(e, node) for node in nodes]
        if any(map(unrolled.is_unrolled, parts)):
            return side_by_side(parts)
        return iterators.zipped(e, [items_of(e, part) for part in parts])
    if function is reversed and len(nodes) == 1 and isinstance(nodes[0], ast.Call):
        inner = nodes[0]
        if known_object(e, inner.func) is range and not inner.keywords:
            items = iterators.of_range(e, range_value(e, inner.args))
            return iterators.reversed_range(e, items)
    if function is reversed and len(nodes) == 1 and isinstance(nodes[0], ast.Tuple | ast.List):
        shown = single(e, ast.Tuple(nodes[0].elts, ast.Load()))
        return tuples.of_items(tuples.items_of(shown)[::-1])
    if function is reversed and len(nodes) == 1 and e.calls:
        # The iterator of a loop in a called function is never needed by the interpreter: a call is
        # left as a whole.
        value = single(e, nodes[0])
        if isinstance(value.type, ListType):
            return lists.items(e, value, backwards=True)
    return None


def numbered(e: Emitter, value: Value, start: Value) -> Value:
    """`enumerate(value, start)` of known length: a tuple of tuples."""
    found = []
    for k, item in enumerate(tuples.items_of(value)):
        if isinstance(start.literal, int):
            count = numbers.literal(e, start.literal + k)
        else:
            count = numbers.binary(e, "add", start, numbers.literal(e, k))
        found.append(tuples.of_items([count, item]))
    return tuples.of_items(found)


def side_by_side(parts: list[Items | Value]) -> Value:
    """`zip(a, b, …)` of known lengths: a tuple of tuples."""
    found = []
    for part in parts:
        if not isinstance(part, Value):
            raise Unsupported("zip of arrays in a tuple and something else")
        found.append(tuples.items_of(part))
    return tuples.of_items([tuples.of_items([*items]) for items in zip(*found, strict=False)])


def range_value(e: Emitter, nodes: list[ast.expr]) -> Value:
    """The bounds and the step of `range(…)`."""
    bounds = [number(e, node) for node in nodes]
    if not all(numbers.number(bound).is_integer for bound in bounds):
        raise Unsupported("a range of values that are no integers")
    registers = [bound.register for bound in bounds]
    if len(registers) == 1:
        registers.insert(0, e.text.integer(0))
    if len(registers) == 2:
        registers.append(e.text.integer(1))
    return Value(RangeType(), tuple(registers))
