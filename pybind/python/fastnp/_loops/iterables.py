"""What loops and comprehensions iterate over: ranges, arrays, lists, tuples, strings, and Python's
functions of such.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from fastnp._loops import (
    dictionaries,
    iterators,
    lists,
    numbers,
    strings,
    tables,
    tuples,
    unrolled,
)
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.entry import Enumeration, Rest, Source, Zip
from fastnp._loops.expressions import expression, number, single
from fastnp._loops.iterators import Items
from fastnp._loops.nodes import as_tuple
from fastnp._loops.records import Record
from fastnp._loops.types import (
    INT,
    ListType,
    ObjectType,
    RangeType,
    TupleType,
    Unknown,
    UnrolledList,
    Value,
)


class Known(Record):
    """Items of a known number, in a tuple or an unrolled list. `lists` are the names of lists among
    them. Where the loop is left, the interpreter iterates over `source(rest, taken, names)`:
    `rest` are the remaining items, `taken` counts the others, `names` has the variables' values.
    """

    value: Value
    source: Callable[[list[Any], int, dict[str, Any]], Source]
    lists: frozenset[str] = frozenset()

    @property
    def is_unrolled(self) -> bool:
        """Whether a loop over them is written once for each."""
        return unrolled.is_unrolled(self.value)

    @property
    def items(self) -> list[Value]:
        return tuples.items_of(self.value)


def iterated(e: Emitter, node: ast.expr) -> Items | Known:
    """The items of an iterable expression."""
    made = of_builtin(e, node)
    if made is not None:
        return made
    if (found := tables.view_of(node)) is not None:
        table = single(e, found[0])
        dictionaries.expect_table(e, table)
        if tables.is_table(table):
            return of_table(e, table, found[1])
    value = single(e, as_tuple(node))
    dictionaries.expect_table(e, value)
    if tables.is_table(value):
        return of_table(e, value)
    if isinstance(value.type, ListType) and isinstance(value.type.item, Unknown):
        # Nothing is stored in it.
        return known(tuples.of_items([]))
    return known(value) if isinstance(value.type, TupleType | UnrolledList) else items_of(e, value)


def of_table(e: Emitter, table: Value, view: str = "") -> Items | Known:
    """The items of a dictionary or a set, or of a view; none of one that is empty for certain."""
    if tables.is_empty_for_sure(tables.table_type(table)):
        return known(tuples.of_items([]))
    return tables.items(e, table, view)


def known(value: Value) -> Known:
    """The items of a tuple, or of a list that is unrolled."""
    name = value.type.name if isinstance(value.type, UnrolledList) else None
    if name is None:
        return Known(value, lambda rest, taken, names: Rest((*rest,)))
    return Known(value, lambda rest, taken, names: Rest(names[name], taken), frozenset([name]))


def items_of(e: Emitter, value: Items | Known | Value) -> Items:
    """The items of a value, in registers that move on."""
    if isinstance(value, Items):
        return value
    if isinstance(value, Known):
        return iterators.of_value(e, value.value)
    strings.refuse_known(e, value)
    if tables.is_table(value):
        return tables.items(e, value)
    if strings.is_text(value):
        return strings.items(e, value)
    if isinstance(value.type, ListType):
        return lists.items(e, value)
    return iterators.of_value(e, value)


def known_object(e: Emitter, node: ast.expr) -> object:
    """The object that a name stands for, known when the loop is compiled."""
    value = expression(e, node)
    is_object = isinstance(value, Value) and isinstance(value.type, ObjectType)
    return value.type.value if is_object else None  # type: ignore[union-attr]


def of_builtin(e: Emitter, node: ast.expr) -> Items | Known | None:
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
        found = iterated(e, nodes[0])
        if isinstance(found, Known) and found.is_unrolled:
            return numbered(e, found, start)
        return iterators.enumerated(e, items_of(e, found), start)
    if function is zip and nodes:
        parts = [iterated(e, node) for node in nodes]
        if any(isinstance(part, Known) and part.is_unrolled for part in parts):
            return side_by_side(parts)
        return iterators.zipped(e, [items_of(e, part) for part in parts])
    if function is reversed and len(nodes) == 1 and isinstance(nodes[0], ast.Call):
        inner = nodes[0]
        if known_object(e, inner.func) is range and not inner.keywords:
            items = iterators.of_range(e, range_value(e, inner.args))
            return iterators.reversed_range(e, items)
    if function is reversed and len(nodes) == 1 and isinstance(nodes[0], ast.Tuple | ast.List):
        shown = single(e, ast.Tuple(nodes[0].elts, ast.Load()))
        return known(tuples.of_items(tuples.items_of(shown)[::-1]))
    if function is reversed and len(nodes) == 1 and e.calls:
        # The iterator of a loop in a called function is never needed by the interpreter: a call is
        # left as a whole.
        value = single(e, nodes[0])
        if isinstance(value.type, ListType):
            return lists.items(e, value, backwards=True)
    return None


def numbered(e: Emitter, inner: Known, start: Value) -> Known:
    """`enumerate(items, start)` of known length."""
    first, found = start.literal, list[Value]()
    if inner.lists and not isinstance(first, int):
        raise Unsupported("a list of arrays, enumerated from a variable")
    for k, item in enumerate(inner.items):
        if isinstance(first, int):
            count = numbers.literal(e, first + k)
        else:
            count = numbers.binary(e, "add", start, numbers.literal(e, k))
        found.append(tuples.of_items([count, item]))

    def source(rest: list[Any], taken: int, names: dict[str, Any]) -> Source:
        at = rest[0][0] if rest else int(first or 0) + taken
        return Enumeration(inner.source([item for _, item in rest], taken, names), at)

    return Known(tuples.of_items(found), source, inner.lists)


def side_by_side(parts: list[Items | Known]) -> Known:
    """`zip(a, b, …)` of known lengths."""
    inner = [part for part in parts if isinstance(part, Known)]
    if len(inner) < len(parts):
        raise Unsupported("zip of arrays in a tuple and something else")
    lists = frozenset[str]().union(*(part.lists for part in inner))
    if lists and len({len(part.items) for part in inner}) > 1:
        raise Unsupported("zip of a list of arrays and something of another length")
    items = [[*row] for row in zip(*(part.items for part in inner), strict=False)]

    def source(rest: list[Any], taken: int, names: dict[str, Any]) -> Source:
        columns = [[row[k] for row in rest] for k in range(len(inner))]
        pairs = zip(inner, columns, strict=True)
        return Zip(*(part.source(column, taken, names) for part, column in pairs))

    return Known(tuples.of_items([*map(tuples.of_items, items)]), source, lists)


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
