"""Tuples: values side by side, each in registers of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastnp._loops import numbers
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import (
    FLOAT,
    I8,
    I64,
    INT,
    Number,
    TupleType,
    Type,
    UnrolledList,
    Value,
)

Equal = Callable[[Emitter, Value, Value], str]


def of_items(items: list[Value]) -> Value:
    """A tuple of values."""
    registers = tuple(register for item in items for register in item.registers)
    return Value(TupleType(tuple(item.type for item in items)), registers)


def items_of(value: Value) -> list[Value]:
    """The items of a tuple, or of a list that is unrolled."""
    assert isinstance(value.type, TupleType | UnrolledList)
    items, at = [], 0
    for type_ in value.type.items:
        count = len(type_.registers)
        items.append(Value(type_, value.registers[at : at + count]))
        at += count
    return items


def item_at(e: Emitter, value: Value, at: str) -> Value:
    """The item at an index in a register; the items are numbers of one type, or tuples of them."""
    first, *others = items_of(value) or [Value(TupleType(()), ())]
    if any(item.type != first.type for item in others) or not is_of_numbers(first.type):
        raise Unsupported(f"a choice of {value.type}")
    chosen = first.registers
    for i, item in enumerate(others, 1):
        is_this = e.text.op(I8, "icmp.eq", at, e.text.integer(i))
        parts = zip(first.type.registers, item.registers, chosen, strict=True)
        chosen = tuple(e.text.op(kind, "select", is_this, a, b) for kind, a, b in parts)
    return Value(first.type, chosen)


def is_of_numbers(type_: Type) -> bool:
    """Whether a type is that of a number, or of a tuple of such that is not empty."""
    if isinstance(type_, TupleType):
        return bool(type_.items) and all(map(is_of_numbers, type_.items))
    return isinstance(type_, Number)


def index_of(e: Emitter, value: Value, wanted: Value, equal: Equal) -> Value:
    """`value.index(wanted)`; where no item is equal, the interpreter raises."""
    items, text = items_of(value), e.text
    count = text.integer(len(items))
    found = count
    for i, item in reversed(list(enumerate(items))):
        found = text.op(I64, "select", equal(e, item, wanted), text.integer(i), found)
    e.leave_if(text.op(I8, "icmp.eq", found, count))
    return Value(INT, (found,))


def count_of(e: Emitter, value: Value, wanted: Value, equal: Equal) -> Value:
    """`value.count(wanted)`."""
    total = e.text.integer(0)
    for item in items_of(value):
        total = e.text.op(I64, "add", total, e.text.op(I64, "b2i", equal(e, item, wanted)))
    return Value(INT, (total,))


def quotient_and_remainder(e: Emitter, arguments: list[Any]) -> Value:
    """`divmod(a, b)` of Python's numbers, and of NumPy's of 64 bits."""
    types = [value.type for value in arguments if isinstance(value, Value)]
    known = (INT, FLOAT, Number("l"), Number("d"))
    if len(types) != 2 or not all(type_ in known for type_ in types):
        raise Unsupported("divmod of these values")
    a, b = map(e.settle, arguments)
    parts = [numbers.binary(e, name, a, b) for name in ("floor_divide", "remainder")]
    return of_items([e.settle(part) for part in parts])


def total(e: Emitter, value: Value) -> Value:
    """`sum(value)`, added from the left to zero."""
    found = numbers.literal(e, 0)
    for item in items_of(value):
        numbers.number(item)
        found = e.settle(numbers.binary(e, "add", found, e.settle(item)))
    return found
