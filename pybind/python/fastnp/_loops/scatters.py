"""Stores to the elements of a vector that an array of integers names: `x[k] = value`.

The places are found and checked before the first store, and so are the values, which may lie in the
same memory. Of places that are named twice the last value stays.
"""

from __future__ import annotations

from collections.abc import Callable

from fastnp._loops import arrays, element_loops, numbers, scratch, undo
from fastnp._loops.arrays import Elementwise, Indices, Item
from fastnp._loops.counted_loops import for_each
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import I8, I64, MEMORY, SIZES, Number, Value


def has_array(items: list[Item]) -> bool:
    """Whether a subscript has an array."""
    return any(item.array is not None for item in items)


def stored(
    e: Emitter, array: Value, items: list[Item], value: Value | Elementwise
) -> Callable[[], None]:
    """Prepares a store of a number, or of as many values as there are places."""
    type_, text = arrays.array_type(array), e.text
    if not type_.is_writeable:
        raise Unsupported("a store to an array that is read-only")
    if e.calls:
        raise Unsupported(undo.REASON)
    index = places_of(e, array, items)
    (count,) = index.shape
    read = values_of(e, type_.char, count, value)
    places = scratch.take(e, arrays.bytes_of(e, "l", count))
    (extent,), (stride,) = arrays.shape(array), arrays.steps(e, array)

    def find(indices: Indices) -> None:
        found = Value(Number(index.char), (index.element(indices),))
        moved = text.op(I64, "mul", arrays.position(e, found, extent), stride)
        place = text.op(I64, "add", arrays.address(array), moved)
        arrays.store(e, "l", nth(e, places, "l", indices), place)

    for_each(e, index.shape, find)
    if index.warns:
        e.leave_if_raised()

    def put(indices: Indices) -> None:
        place = arrays.load(e, "l", nth(e, places, "l", indices)).register
        arrays.store(e, type_.char, place, read(indices))

    return lambda: for_each(e, (count,), put)


def places_of(e: Emitter, array: Value, items: list[Item]) -> Elementwise:
    """The array of integers that is all of a vector's subscript."""
    type_, given = arrays.array_type(array), items[0].array
    if len(items) != 1 or given is None or type_.ndim != 1 or type_.char not in MEMORY:
        raise Unsupported("a store by an index that is an array")
    index = arrays.by_element(e, arrays.elements(e, given))
    if len(index.shape) != 1 or not Number(index.char).is_integer:
        raise Unsupported("a store by an index that is an array")
    arrays.refuse_many(e, index.shape, index.most())
    e.spend(index.shape[0])
    return index


def values_of(
    e: Emitter, char: str, count: str, value: Value | Elementwise
) -> Callable[[Indices], str]:
    """What gives the values to be stored, in registers."""
    if not arrays.is_array(value):
        assert isinstance(value, Value)
        python = numbers.number(value).may_be_python
        register = numbers.convert(e, e.settle(value), char, python)
        return lambda _: register
    source = element_loops.in_memory(e, value)
    type_ = arrays.array_type(source)
    if type_.ndim != 1 or type_.char != char:
        raise Unsupported("an array of this kind stored by an index that is an array")
    e.leave_unless(e.text.op(I8, "icmp.eq", arrays.shape(source)[0], count))
    memory = scratch.take(e, arrays.bytes_of(e, char, count))

    def copy(indices: Indices) -> None:
        at = arrays.element_address(e, source, arrays.strides(source), indices)
        arrays.store(e, char, nth(e, memory, char, indices), arrays.load(e, char, at).register)

    for_each(e, (count,), copy)
    return lambda indices: arrays.load(e, char, nth(e, memory, char, indices)).register


def nth(e: Emitter, start: str, char: str, indices: Indices) -> str:
    """The address of an element of dense memory."""
    moved = e.text.op(I64, "mul", arrays.register_of(e, indices[0]), e.text.integer(SIZES[char]))
    return e.text.op(I64, "add", start, moved)
