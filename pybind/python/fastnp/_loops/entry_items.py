"""The items of the outermost loop, taken from the source that it is entered with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastnp._loops import iterators, lists, strings, tables
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.entry import Enumeration, Rest, Walk, Zip
from fastnp._loops.item_types import COMPUTED_KEYS
from fastnp._loops.iterators import Items
from fastnp._loops.parameters import lengths_of, type_of
from fastnp._loops.ranges import EXTENT, LONGEST_AXIS
from fastnp._loops.types import (
    I8,
    INT,
    ArrayType,
    ListType,
    RangeType,
    TableType,
    TextType,
    TupleType,
    Value,
)

Find = Callable[[Any], Any]


def entry_items(e: Emitter, source: Any, find: Find) -> Items:
    """The items of a source. `find` finds it from that of the outermost loop at a later entry."""
    if isinstance(source, Enumeration):
        if type_of(source.start, 0) != INT:
            raise Unsupported("enumerate from no integer")
        items = entry_items(
            e, source.source, lambda whole: part(find(whole), Enumeration, "source")
        )
        start = e.parameter(None, INT, lambda whole: part(find(whole), Enumeration, "start"))
        return iterators.enumerated(e, items, start)
    if isinstance(source, Zip):
        return iterators.zipped(
            e,
            [
                entry_items(e, one, lambda whole, i=i: zipped_part(find(whole), i))  # type: ignore[misc]
                for i, one in enumerate(source.sources)
            ],
        )
    if isinstance(source, range):
        return of_range(e, source, find)
    if isinstance(source, Walk):
        return of_walk(e, source, find)
    if isinstance(source, Rest):
        type_ = type_of(remaining(source), len(e.parameters))
        if isinstance(type_, ArrayType):
            return iterators.of_array(
                e,
                e.parameter(
                    None,
                    type_,
                    lambda whole: remaining(find(whole)),
                    lengths_of(source.sequence),
                ),
            )
        if type(source.sequence) is str:
            text = TextType(len(e.parameters))
            value = e.parameter(None, text, lambda whole: part(find(whole), Rest, "sequence"))
            taken = e.parameter(None, INT, lambda whole: part(find(whole), Rest, "taken"))
            return strings.items(e, value, taken.register)
        known = e.type_at_entry("", source.sequence)
        if isinstance(known, ListType | TupleType):
            value = e.parameter(None, known, lambda whole: part(find(whole), Rest, "sequence"))
            taken = e.parameter(None, INT, lambda whole: part(find(whole), Rest, "taken"))
            if isinstance(known, TupleType):
                return iterators.of_tuple(e, value, taken.register)
            extent = lists.length(e, value)
            e.leave_if(e.text.op(I8, "icmp.gt", taken.register, extent))
            return lists.items(e, value, taken.register)
        raise Unsupported(f"a loop over {type(source.sequence).__name__}")
    raise Unsupported(f"a loop over {type(source).__name__}")


def of_walk(e: Emitter, source: Walk, find: Find) -> Items:
    """The items of a dictionary or a set, which lies in memory, or of a view."""
    table, view = source.table, source.view
    e.learned[COMPUTED_KEYS, id(table)] = True
    known = e.type_at_entry("", table)
    if not isinstance(known, TableType):
        raise Unsupported(f"a loop over a {type(table).__name__} of these keys or values")

    def walked(whole: Any) -> Any:
        found = find(whole)
        return found.table if part(found, Walk, "view") == view else None

    value = e.parameter(None, known, walked)
    taken = e.parameter(None, INT, lambda whole: part(find(whole), Walk, "taken"))
    return tables.items(e, value, view, taken.register)


def of_range(e: Emitter, source: range, find: Find) -> Items:
    """The items of a range. Code for consecutive indices is for such alone."""
    if not is_of_indices(source):
        return iterators.of_range(e, e.parameter(None, RangeType(), find))

    due = source.step

    def similar(whole: Any) -> Any:
        found = find(whole)
        # As `is_of_indices`, in one call at each entry.
        is_right = (
            type(found) is range
            and found.step == due
            and 0 <= found.start <= LONGEST_AXIS
            and -1 <= found.stop <= LONGEST_AXIS
        )
        return found if is_right else None

    start, stop, _ = e.parameter(None, RangeType(), similar).registers
    e.text.ranges[start] = EXTENT
    e.text.ranges[stop] = (-1, LONGEST_AXIS)
    step = e.text.integer(source.step)
    return iterators.of_range(e, Value(RangeType(), (start, stop, step)))


def is_of_indices(source: range) -> bool:
    """Whether the items of a range are positions of an array, one next to the other."""
    if source.step not in (1, -1):
        return False
    return 0 <= source.start <= LONGEST_AXIS and -1 <= source.stop <= LONGEST_AXIS


def part(source: Any, class_: type, name: str) -> Any:
    """A part of a source of a class; of any other, `None`."""
    return getattr(source, name) if isinstance(source, class_) else None


def zipped_part(source: Any, i: int) -> Any:
    """One of the sources of a `zip`; of anything else, `None`."""
    return source.sources[i] if isinstance(source, Zip) and i < len(source.sources) else None


def remaining(source: Any) -> Any:
    """The array of the items to come; of anything else, `None`."""
    if not isinstance(source, Rest) or not hasattr(source.sequence, "strides"):
        return None
    return source.sequence[source.taken :] if source.taken else source.sequence
