"""Numbers in order: `sorted`, `list.sort`, `np.sort`, `np.median`.

What has no order is left to the interpreter: numbers that are none, and -0.0 where NumPy's way of
sorting would show beside 0.0.
"""

from __future__ import annotations

from typing import TypeAlias

from fastnp._loops import arrays, lists
from fastnp._loops.arrays import Elementwise
from fastnp._loops.creation import one_after_another
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.sorted_arrays import one_axis
from fastnp._loops.types import F64, FLOAT, I8, I64, INT, NP_FLOAT, NP_INT, Number, Value

Operand: TypeAlias = "Value | Elementwise"

# Elements of longer arrays NumPy has in order sooner.
MOST_SORTED = 512
MOST_OF_MEDIAN = 1 << 14


def sort_list(e: Emitter, value: Value) -> None:
    """`x.sort()` of integers, floats or both: those that are equal stay in their order."""
    type_ = lists.list_type(value)
    is_mixed = isinstance(type_.item, Number) and type_.item.is_mixed
    if type_.is_deque or not (is_mixed or type_.item in (INT, FLOAT, NP_INT, NP_FLOAT)):
        raise Unsupported(f"sorting of {type_}")
    count = lists.length(e, value)
    e.spend(count)
    routine = "sort_f64" if lists.char_of(type_) == "d" else "sort_i64"
    call(
        e,
        "sort_pairs_f64" if is_mixed else routine,
        lists.address(e, value, e.text.integer(0)),
        count,
    )
    e.stores_lists = True


def sorted_list(e: Emitter, arguments: list[Operand]) -> Value:
    """`sorted(x)` of a list of integers, floats or both."""
    if len(arguments) != 1 or not lists.is_list(arguments[0]):
        raise Unsupported("sorted of this")
    made = lists.part(e, arguments[0])
    sort_list(e, made)
    return made


def sort(e: Emitter, arguments: list[Operand]) -> Elementwise:
    """`np.sort(x)` of an array with one axis, of doubles or integers."""
    source = arrays.by_element(e, one_axis(e, arguments[0] if len(arguments) == 1 else None))
    char, is_ours = source.char, arrays.is_ours(source)
    if char != "d" and not Number(char).is_integer:
        raise Unsupported(f"sort of {char}")
    arrays.refuse_many(e, source.shape, MOST_SORTED)
    wide = "d" if char == "d" else "l"
    memory, count = one_after_another(e, source, wide)
    call(e, "sort_distinct_f64" if char == "d" else "sort_i64", memory, count)
    found = arrays.in_scratch(e, memory, wide, source.shape, is_ours)
    if char != wide:
        memory, _ = one_after_another(e, found, char)
        found = arrays.in_scratch(e, memory, char, source.shape, is_ours)
    return found


def median(e: Emitter, arguments: list[Operand]) -> Value:
    """`np.median(x)` of all elements of an array of doubles or integers."""
    if len(arguments) != 1 or not arrays.is_array(arguments[0]):
        raise Unsupported("median with these arguments")
    source = arrays.by_element(e, arrays.elements(e, arguments[0]))
    if source.char != "d" and not Number(source.char).is_integer:
        raise Unsupported(f"median of {source.char}")
    arrays.refuse_many(e, source.shape, MOST_OF_MEDIAN)
    memory, count = one_after_another(e, source, "d")
    found = e.text.call(F64, "median_f64", memory, count)
    e.leave_unless(e.is_finite(found))
    return Value(NP_FLOAT, (found,))


def call(e: Emitter, routine: str, at: str, count: str) -> None:
    """Sorts numbers in memory; leaves where they have no order."""
    is_sorted = e.text.call(I64, routine, at, count)
    e.leave_unless(e.text.op(I8, "icmp.ne", is_sorted, e.text.integer(0)))
