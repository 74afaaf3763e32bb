"""What a `for` loop takes its items from: ranges, arrays, `enumerate`, `zip` and `reversed` of
them.

An iterator is a few registers that move on with each turn. Where the loop is left, they say which
items are still to come, and the interpreter gets an iterator of those.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from fastnp._loops import arrays, memory_order
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.entry import Enumeration, Objects, Rest, Zip
from fastnp._loops.ranges import WHOLE, Range
from fastnp._loops.records import Record
from fastnp._loops.types import (
    COMPLEX_CHAR,
    I8,
    I64,
    INT,
    NP_COMPLEX,
    ArrayType,
    Number,
    RangeType,
    TupleType,
    Type,
    Value,
)


class Items(Record):
    """An iterator in registers.

    `remaining` counts the items to come. `item` gives the next one and `advance` moves on.
    `rebuild` makes the source of what remains from the stored registers; it takes the words that it
    needs.
    """

    registers: tuple[str, ...]
    remaining: str
    item: Callable[[Emitter], Value]
    advance: Callable[[Emitter], None]
    rebuild: Callable[[list[Any], Objects], Any]
    item_type: Type
    # Counts the items to come anew before each turn, where that may change meanwhile.
    refresh: Callable[[Emitter], None] | None = None
    # What the last registers hold that are no integers.
    types: tuple[Type, ...] = ()
    # The addresses of the tables that it takes items from.
    tables: tuple[str, ...] = ()
    # About how many items a range has, whose registers say where it is, its step, and how many
    # remain; 0 of what is no range.
    about: int = 0


# Bounds of ranges lie between this and its opposite.
FARTHEST = 1 << 61


def of_range(e: Emitter, value: Value) -> Items:
    """The items of a range: where it is, its step, and how many remain."""
    text = e.text
    start, stop, step = value.registers
    at, by, remaining = (text.register(I64, name) for name in ("at", "by", "left"))
    zero, one = text.integer(0), text.integer(1)
    # Bounds of 62 bits keep the span within 64.
    for bound in (start, stop, step):
        moved = text.op(I64, "add", bound, text.integer(FARTHEST))
        e.leave_unless(text.op(I8, "icmp.ult", moved, text.integer(2 * FARTHEST)))
    e.leave_if(text.op(I8, "icmp.eq", step, zero))
    up = text.op(I8, "icmp.gt", step, zero)
    forwards, backwards = text.op(I64, "sub", stop, start), text.op(I64, "sub", start, stop)
    span = text.op(I64, "select", up, forwards, backwards)
    stride = text.op(I64, "select", up, step, text.op(I64, "neg", step))
    rounded = text.op(I64, "sub", text.op(I64, "add", span, stride), one)
    count = text.op(I64, "div", rounded, stride)
    is_empty = text.op(I8, "icmp.le", span, zero)
    text.copy(at, start)
    text.copy(by, step)
    text.copy(remaining, text.op(I64, "select", is_empty, zero, count))
    range_ = items_range(*(text.ranges.get(bound, WHOLE) for bound in (start, stop, step)))

    def item(e: Emitter) -> Value:
        found = e.snapshot(Value(INT, (at,)))
        e.text.ranges[found.register] = range_
        return found

    def rebuild(words: list[Any], _: Objects) -> Any:
        first, step_, left = (words.pop(0) for _ in range(3))
        return range(first, first + step_ * left, step_)

    return Items(
        (at, by, remaining),
        remaining,
        item,
        lambda e: move(e, remaining, (at, by)),
        rebuild,
        INT,
        about=about(e, start, stop),
    )


# How many items a range has of which nothing is known.
EXPECTED = 16


def about(e: Emitter, start: str, stop: str) -> int:
    """About how many items a range has, from what its bounds are now."""
    first, last = e.text.ranges.get(start, WHOLE), e.lengths.get(stop)
    if last is None:
        return EXPECTED
    return max(last - first[0] if first[0] == first[1] else last // 2, 1)


def items_range(start: Range, stop: Range, step: Range) -> Range:
    """What is known of the items of a range from its bounds and its step, which were checked."""
    first = (max(start[0], -FARTHEST), min(start[1], FARTHEST))
    last = (max(stop[0], -FARTHEST), min(stop[1], FARTHEST))
    if step[0] > 0:
        return (first[0], max(last[1] - 1, first[0]))
    if step[1] < 0:
        return (min(last[0] + 1, first[1]), first[1])
    return (min(first[0], last[0]), max(first[1], last[1]))


def move(e: Emitter, remaining: str, *cursors: tuple[str, str]) -> None:
    for at, by in cursors:
        e.text.line(f"{at} = add {at}, {by}")
    e.text.line(f"{remaining} = sub {remaining}, {e.text.integer(1)}")


def reversed_range(e: Emitter, items: Items) -> Items:
    """The items of a range from the last one on."""
    text = e.text
    at, by, remaining = items.registers
    steps = text.op(I64, "sub", remaining, text.integer(1))
    text.line(f"{at} = add {at}, {text.op(I64, 'mul', steps, by)}")
    text.line(f"{by} = neg {by}")
    return items


def of_array(e: Emitter, value: Value) -> Items:
    """The items of an array: elements, or views without the first axis."""
    text = e.text
    type_ = arrays.array_type(value)
    at, remaining = text.register(I64, "at"), text.register(I64, "left")
    text.copy(at, arrays.address(value))
    text.copy(remaining, arrays.shape(value)[0])
    shape, strides = arrays.shape(value), arrays.strides(value)
    if type_.is_made:
        raise Unsupported("a loop over an array that the loop around it made")
    order = memory_order.of_view(type_.order, range(1, type_.ndim))
    inner = type_._replace(ndim=type_.ndim - 1, is_root=False, is_whole=False, order=order)

    def item(e: Emitter) -> Value:
        if type_.ndim == 1:
            return arrays.load(e, type_.char, at)
        return e.snapshot(Value(inner, (at, *shape[1:], *strides[1:])))

    whole = type_._replace(is_root=False, is_whole=False)

    def rebuild(words: list[Any], objects: Objects) -> Any:
        count = 2 + 2 * type_.ndim
        taken = [words.pop(0) for _ in range(count)]
        return Rest(objects.object_of(whole, taken))

    registers = (at, remaining, *shape[1:], *strides, e.roots[type_.root])
    kind: Type = inner
    if type_.ndim == 1:
        kind = NP_COMPLEX if type_.char == COMPLEX_CHAR else Number(type_.char)
    return Items(
        registers, remaining, item, lambda e: move(e, remaining, (at, strides[0])), rebuild, kind
    )


MAX_TUPLE = 16


def is_of_alike(type_: TupleType) -> bool:
    """Whether the items of a tuple are numbers of one type, or tuples of numbers of the same types,
    that a loop takes one by one.
    """
    if len({*type_.items}) != 1 or len(type_.items) > MAX_TUPLE:
        return False
    kind = type_.items[0]
    fields = kind.items if isinstance(kind, TupleType) else (kind,)
    return all(isinstance(field, Number) and field.name in PLAIN for field in fields)


def of_tuple(e: Emitter, value: Value, taken: str | None = None) -> Items:
    """The items of a short tuple, of which so many are taken: numbers of one type, or tuples of
    numbers of the same types.
    """
    text = e.text
    if not isinstance(value.type, TupleType) or not is_of_alike(value.type):
        raise Unsupported(f"a loop over {value.type}")
    kind = value.type.items[0]
    fields = kind.items if isinstance(kind, TupleType) else (kind,)
    names = [field.name for field in fields if isinstance(field, Number)]
    count = len(value.type.items)
    registers = e.snapshot(value).registers
    remaining = text.register(I64, "left")
    whole = text.integer(count)
    text.copy(remaining, text.op(I64, "sub", whole, taken) if taken else whole)

    def item(e: Emitter) -> Value:
        chosen = list(registers[-len(fields) :])
        for i in range(count - 1):
            is_next = text.op(I8, "icmp.eq", remaining, text.integer(count - i))
            for k, type_ in enumerate(kind.registers):
                register = registers[i * len(fields) + k]
                chosen[k] = text.op(type_, "select", is_next, register, chosen[k])
        return Value(kind, tuple(chosen))

    def rebuild(words: list[Any], _: Objects) -> Any:
        left = words.pop(0)
        items = [tuple(PLAIN[name](words.pop(0)) for name in names) for _ in range(count)]
        if not isinstance(kind, TupleType):
            items = [one for (one,) in items]
        return Rest(tuple(items), count - left)

    return Items(
        (remaining, *registers),
        remaining,
        item,
        lambda e: move(e, remaining),
        rebuild,
        kind,
    )


def float_of(word: int) -> float:
    """The float of a stored word, which is given as an integer."""
    found: float = struct.unpack("<d", struct.pack("<q", word))[0]
    return found


# How a stored word becomes an item of a tuple.
PLAIN: dict[str, Callable[[int], Any]] = {"int": int, "float": float_of}


def enumerated(e: Emitter, items: Items, start: Value) -> Items:
    """`enumerate(items, start)`."""
    text = e.text
    count = text.register(I64, "n")
    text.copy(count, start.register)

    def item(e: Emitter) -> Value:
        number, value = e.snapshot(Value(INT, (count,))), items.item(e)
        kind = TupleType((INT, value.type))
        return Value(kind, (*number.registers, *value.registers))

    def advance(e: Emitter) -> None:
        items.advance(e)
        e.text.line(f"{count} = add {count}, {e.text.integer(1)}")

    def rebuild(words: list[Any], objects: Objects) -> Any:
        first, inner = words.pop(0), items.rebuild(words, objects)
        return enumerate(inner, first) if items.tables else Enumeration(inner, first)

    return Items(
        (count, *items.registers),
        items.remaining,
        item,
        advance,
        rebuild,
        TupleType((INT, items.item_type)),
        items.refresh,
        tables=items.tables,
    )


def zipped(e: Emitter, parts: list[Items]) -> Items:
    """`zip(…)`: until the shortest ends."""
    text = e.text
    remaining = text.register(I64, "left")

    def count(e: Emitter) -> None:
        shortest = parts[0].remaining
        for part in parts[1:]:
            less = e.text.op(I8, "icmp.lt", part.remaining, shortest)
            shortest = e.text.op(I64, "select", less, part.remaining, shortest)
        e.text.copy(remaining, shortest)

    def refresh(e: Emitter) -> None:
        for part in parts:
            if part.refresh is not None:
                part.refresh(e)
        count(e)

    count(e)

    def item(e: Emitter) -> Value:
        values = [part.item(e) for part in parts]
        kind = TupleType(tuple(value.type for value in values))
        return Value(kind, tuple(r for value in values for r in value.registers))

    def advance(e: Emitter) -> None:
        for part in parts:
            part.advance(e)
        e.text.line(f"{remaining} = sub {remaining}, {e.text.integer(1)}")

    def rebuild(words: list[Any], objects: Objects) -> Any:
        words.pop(0)
        inner = [part.rebuild(words, objects) for part in parts]
        return zip(*inner) if any(part.tables for part in parts) else Zip(*inner)

    return Items(
        (remaining, *(r for part in parts for r in part.registers)),
        remaining,
        item,
        advance,
        rebuild,
        TupleType(tuple(part.item_type for part in parts)),
        refresh if any(part.refresh for part in parts) else None,
        tables=tuple(table for part in parts for table in part.tables),
    )


def of_value(e: Emitter, value: Value) -> Items:
    """The items of a range or an array."""
    if isinstance(value.type, RangeType):
        return of_range(e, value)
    if isinstance(value.type, ArrayType):
        return of_array(e, value)
    if isinstance(value.type, TupleType):
        return of_tuple(e, value)
    raise Unsupported(f"a loop over {value.type}")
