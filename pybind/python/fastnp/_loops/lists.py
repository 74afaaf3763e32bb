"""Lists of numbers in compiled loops: elements that are read and stored, `len`, `append`, `pop`.

A list whose items are all Python's `int`, `float` or `bool` is a parameter: its items are copied to
an array when the loop is entered, and those that the loop has changed are put back when it ends, is
left, or is interrupted. Other threads, which run now and then meanwhile, see the list as it was.
What does not fit the type of the items is left to the interpreter. A list that the loop may
lengthen has its length before its items, and room behind them; where that is used up the statement
is left.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable
from typing import Any

import numpy

from fastnp._loops import arrays, numbers, undo
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.entry import Rest
from fastnp._loops.iterators import Items, move
from fastnp._loops.types import BOOL, FLOAT, I8, I64, INT, SIZES, ListType, Value

CHARS = {"int": "l", "float": "d", "bool": "?"}
KINDS = {int: INT, float: FLOAT, bool: BOOL}
# Types of the records that `marshal` writes for an item, and the byte they begin with.
RECORDS = {
    "l": (numpy.dtype([("kind", "u1"), ("value", "<i4")]), ord("i")),
    "d": (numpy.dtype([("kind", "u1"), ("value", "<f8")]), ord("g")),
}
HEADER = 8


# At the entry and after it.


def type_of_list(value: list[Any], root: int, grows: bool) -> ListType | None:
    """The type of a list, or `None` where its items are no numbers of one type."""
    kinds = set(map(type, value))
    if len(kinds) != 1:
        return None
    kind = KINDS.get(kinds.pop())
    return None if kind is None else ListType(kind, root, grows)


def items_of(value: object, char: str) -> numpy.ndarray | None:
    """The items of a list as an array; `None` if it is no list of this type's numbers alone.

    The records of `marshal` take 6 ns an item, the types of the items alone 20 ns.
    """
    if type(value) is not list or not value:
        return None
    if char in RECORDS:
        record, kind = RECORDS[char]
        try:
            written = marshal.dumps(value, 2)
        except ValueError:
            return None
        if len(written) == 5 + len(value) * record.itemsize:
            records = numpy.frombuffer(written, record, offset=5)
            if (records["kind"] == kind).all():
                return records["value"].astype(char)
    if char == "?":
        written = marshal.dumps(value, 2) if type(value[0]) is bool else b""
        if len(written) == 5 + len(value):
            marks = numpy.frombuffer(written, "u1", offset=5)
            is_true = marks == ord("T")
            if (is_true | (marks == ord("F"))).all():
                return is_true
        return None
    if set(map(type, value)) != {type(numpy.zeros(1, char).item())}:
        return None
    try:
        return numpy.array(value, char)
    except OverflowError:
        return None


class Copied:
    """A list and the array that stands for it while compiled code runs."""

    def __init__(self, value: list[Any], type_: ListType, items: numpy.ndarray) -> None:
        self.value = value
        self.before = items
        self.header = HEADER // items.itemsize if type_.grows else 0
        room = len(items) + 64 if type_.grows else 0
        self.array = numpy.empty(self.header + len(items) + room, items.dtype)
        self.array[self.header : self.header + len(items)] = items
        if type_.grows:
            self.array[: self.header].view("l")[0] = len(items)

    def put_back(self) -> None:
        """Stores in the list what is different in the array."""
        before, after = self.before, self.array[self.header :]
        count = len(before)
        if self.header:
            count = int(self.array[: self.header].view("l")[0])
        common = min(count, len(before))
        bits = f"u{before.itemsize}"
        differs = before[:common].view(bits) != after[:common].view(bits)
        changed = numpy.flatnonzero(differs)
        if len(changed) == common:
            self.value[:common] = after[:common].tolist()
        else:
            for i, item in zip(changed.tolist(), after[changed].tolist(), strict=True):
                self.value[i] = item
        if count < len(before):
            del self.value[count:]
        else:
            self.value += after[common:count].tolist()


def copies(
    lists: dict[int, ListType], stored: set[int], values: list[Any]
) -> dict[int, Copied] | None:
    """The lists among the values, by number; `None` if one is no such list, or is stored to under
    one name and used under another.
    """
    found: dict[int, Copied] = {}
    known: dict[int, int] = {}
    for root, type_ in lists.items():
        value = values[root]
        other = known.setdefault(id(value), root)
        if other != root and (root in stored or other in stored):
            return None
        items = items_of(value, CHARS[type_.item.name])
        if items is None:
            return None
        found[root] = Copied(value, type_, items)
    return found


# Expressions and statements.


def list_type(value: Value) -> ListType:
    assert isinstance(value.type, ListType)
    return value.type


def length(e: Emitter, value: Value) -> str:
    """The length in a register."""
    type_ = list_type(value)
    start, extent = e.lists[type_.root]
    return e.text.op(I64, "load.i64", start, 0) if type_.grows else extent


def address(e: Emitter, type_: ListType, position: str) -> str:
    """The address of an item."""
    width = SIZES[CHARS[type_.item.name]]
    start = e.lists[type_.root][0]
    if type_.grows:
        start = e.text.op(I64, "add", start, e.text.integer(HEADER))
    return e.text.op(I64, "add", start, e.text.op(I64, "mul", position, e.text.integer(width)))


def place(e: Emitter, value: Value, index: Value) -> str:
    """The address of `value[index]`; leaves where there is none."""
    return address(e, list_type(value), arrays.position(e, index, length(e, value)))


def load(e: Emitter, type_: ListType, at: str) -> Value:
    """The item at an address, as Python's number."""
    found = arrays.load(e, CHARS[type_.item.name], at)
    return Value(type_.item, found.registers)


def item(e: Emitter, value: Value, index: Value) -> Value:
    """`value[index]`."""
    return load(e, list_type(value), place(e, value, index))


def fitting(e: Emitter, type_: ListType, value: Value) -> str:
    """A number to be stored in a list, in a register; one of another type is left."""
    value = e.settle(value)
    have = numbers.number(value)
    if have.is_either and have.plain == type_.item:
        e.leave_if(value.registers[1])
    elif have != type_.item:
        raise Unsupported(f"{have} stored to a list of {type_.item}")
    return value.register


def store(e: Emitter, array: Value, index: Value, value: Value) -> Callable[[], None]:
    """Prepares `array[index] = value`."""
    type_ = list_type(array)
    at, register = place(e, array, index), fitting(e, type_, value)
    undo.note(e, at, CHARS[type_.item.name])
    return lambda: put(e, type_, at, register)


def put(e: Emitter, type_: ListType, at: str, register: str) -> None:
    """Stores an item at an address."""
    e.stored_lists.add(type_.root)
    arrays.store(e, CHARS[type_.item.name], at, register)


def append(e: Emitter, array: Value, value: Value) -> None:
    """`array.append(value)`."""
    type_, text = list_type(array), e.text
    if not type_.grows or e.calls:
        raise Unsupported("an append to this list")
    register, count = fitting(e, type_, value), length(e, array)
    start, words = e.lists[type_.root]
    room = text.op(I64, "sub", words, text.integer(HEADER // SIZES[CHARS[type_.item.name]]))
    e.leave_unless(text.op(I8, "icmp.lt", count, room))
    put(e, type_, address(e, type_, count), register)
    text.line(f"store.i64 {start}, 0, {text.op(I64, 'add', count, text.integer(1))}")


def pop(e: Emitter, array: Value) -> Value:
    """`array.pop()`: the last item; the list is shorter at once."""
    type_, text = list_type(array), e.text
    if not type_.grows or e.calls:
        raise Unsupported("a pop of this list")
    count = length(e, array)
    # The last item of all is left: of an empty list no type is known at the next entry.
    e.leave_unless(text.op(I8, "icmp.gt", count, text.integer(1)))
    last = text.op(I64, "sub", count, text.integer(1))
    value = load(e, type_, address(e, type_, last))
    e.stored_lists.add(type_.root)
    text.line(f"store.i64 {e.lists[type_.root][0]}, 0, {last}")
    return value


def items(e: Emitter, value: Value, taken: str | None = None, backwards: bool = False) -> Items:
    """What a loop over a list takes, from a position on."""
    type_, text = list_type(value), e.text
    if type_.grows:
        raise Unsupported("a loop over a list that grows")
    extent = length(e, value)
    at, by, remaining = (text.register(I64, name) for name in ("at", "by", "left"))
    first = taken or text.integer(0)
    text.copy(remaining, text.op(I64, "sub", extent, first))
    text.copy(at, text.op(I64, "sub", extent, text.integer(1)) if backwards else first)
    text.copy(by, text.integer(-1 if backwards else 1))

    def rebuild(words: list[Any], view: Callable[[Any, list[Any]], Any]) -> Any:
        position, _, _ = (words.pop(0) for _ in range(3))
        return Rest(view(type_, []), position)

    return Items(
        (at, by, remaining),
        remaining,
        lambda e: load(e, type_, address(e, type_, at)),
        lambda e: move(e, remaining, (at, by)),
        rebuild,
        type_.item,
    )


def is_number_list(value: object) -> bool:
    """Whether a value of the compiled code is a list."""
    return isinstance(value, Value) and isinstance(value.type, ListType)
