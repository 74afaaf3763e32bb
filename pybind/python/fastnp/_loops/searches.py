"""Searches for a number: `x in a`, `a.index(x)`, `a.count(x)`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeAlias

from fastnp._loops import array_operators, creation, lists, numbers, reductions, tuples
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import F64, I8, I64, INT, Number, SymbolType, TupleType, Value

Operand: TypeAlias = "Value | Elementwise"
Expression: TypeAlias = Callable[[Emitter, ast.expr], "Value | Elementwise"]


def place_or_count(
    e: Emitter, node: ast.Call, owner: Operand, name: str, expression: Expression
) -> Value:
    """`x.index(value)` and `x.count(value)` of a list or a tuple of numbers."""
    if len(node.args) != 1 or node.keywords:
        raise Unsupported(f"{name} with these arguments")
    value = e.settle(creation.scalar(expression(e, node.args[0]), name))
    if not lists.is_list(owner):
        assert isinstance(owner, Value)
        of_tuple = tuples.index_of if name == "index" else tuples.count_of
        return of_tuple(e, owner, value, equals)
    of_list = lists.index if name == "index" else lists.matching
    return Value(INT, (of_list(e, owner, lambda one: equals(e, one, value)),))


def is_in_array(e: Emitter, value: Value, array: Operand) -> str:
    """Whether `value in array`, as NumPy finds it: `(array == value).any()`."""
    same = array_operators.binary(e, "equal", array, creation.scalar(value, "in"))
    return numbers.truth(e, creation.scalar(reductions.reduced(e, "any", same), "in"))


def equal_lists(e: Emitter, left: Value, right: Value) -> str:
    """Whether two lists of one type have equal items: numbers, tuples of numbers, or strings."""
    text, type_ = e.text, lists.list_type(left)
    if type_ != right.type or not isinstance(type_.item, Number | TupleType | SymbolType):
        raise Unsupported(f"{left.type} == {right.type}")
    counts = [lists.length(e, value) for value in (left, right)]
    same, rest = text.register(I8), text.register(I64)
    places = [text.register(I64) for _ in counts]
    text.copy(same, text.op(I8, "icmp.eq", *counts))
    text.copy(rest, text.op(I64, "select", same, counts[0], text.integer(0)))
    for at, value in zip(places, (left, right), strict=True):
        text.copy(at, lists.address(e, value, text.integer(0)))
    e.spend(rest)

    def compare() -> None:
        found = [lists.load(e, type_, at) for at in places]
        text.copy(same, text.truth(True))
        pairs = zip(*map(parts_of, found), strict=True)
        for one, other in pairs:
            if isinstance(one.type, SymbolType):
                is_one = text.op(I8, "icmp.eq", one.register, other.register)
            else:
                is_one = equals(e, one, e.settle(other))
            text.copy(same, text.op(I8, "and", same, is_one))
        # The first difference is enough.
        text.copy(rest, text.op(I64, "select", same, rest, text.integer(1)))
        for at in places:
            text.line(f"{at} = add {at}, {text.integer(lists.width_of(type_))}")

    lists.each(e, rest, compare)
    return same


def parts_of(value: Value) -> list[Value]:
    """A value, or the items of a tuple."""
    return tuples.items_of(value) if isinstance(value.type, TupleType) else [value]


def equals(e: Emitter, item: Value, value: Value) -> str:
    """Whether an item of a list or a tuple is equal to a number. Two nan are equal if they are one
    object, so a nan is left.
    """
    for part in (item, value):
        if part.type.registers[:1] == (F64,):
            e.leave_if(e.text.op(I8, "fcmp.uno", part.register, part.register))
    return numbers.truth(e, numbers.compare(e, "equal", e.settle(item), value))
