"""What loops and comprehensions iterate over: ranges, arrays, lists, tuples, strings, and Python's
functions of such.
"""

from __future__ import annotations

import ast

from fastnp._loops import iterators, lists, numbers, strings
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.expressions import expression, number, single
from fastnp._loops.iterators import Items
from fastnp._loops.nodes import as_tuple
from fastnp._loops.types import INT, ListType, ObjectType, RangeType, Value


def iteration(e: Emitter, node: ast.expr) -> Items:
    """The items of an iterable expression."""
    made = of_builtin(e, node)
    if made is not None:
        return made
    return items_of(e, single(e, as_tuple(node)))


def items_of(e: Emitter, value: Value) -> Items:
    """The items of a value."""
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


def of_builtin(e: Emitter, node: ast.expr) -> Items | None:
    """The items of `range(…)`, `enumerate(…)`, `zip(…)` or `reversed(…)`; `None` of others."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return None
    function, nodes = known_object(e, node.func), node.args
    if function is enumerate and len(nodes) == 1 and [k.arg for k in node.keywords] == ["start"]:
        nodes = [*nodes, node.keywords[0].value]
    elif node.keywords:
        return None
    if function is range and 1 <= len(nodes) <= 3:
        return iterators.of_range(e, range_value(e, nodes))
    if function is enumerate and 1 <= len(nodes) <= 2:
        start = number(e, nodes[1]) if len(nodes) == 2 else numbers.literal(e, 0)
        if start.type != INT:
            raise Unsupported("enumerate from no integer")
        return iterators.enumerated(e, iteration(e, nodes[0]), start)
    if function is zip and nodes:
        return iterators.zipped(e, [iteration(e, node) for node in nodes])
    if function is reversed and len(nodes) == 1 and isinstance(nodes[0], ast.Call):
        inner = nodes[0]
        if known_object(e, inner.func) is range and not inner.keywords:
            items = iterators.of_range(e, range_value(e, inner.args))
            return iterators.reversed_range(e, items)
    if function is reversed and len(nodes) == 1 and e.calls:
        # The iterator of a loop in a called function is never needed by the interpreter: a call is
        # left as a whole.
        value = single(e, nodes[0])
        if isinstance(value.type, ListType):
            return lists.items(e, value, backwards=True)
    return None


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
