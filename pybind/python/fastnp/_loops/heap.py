"""The lists of a run of compiled code: copied to memory at the entry, put back at its end.

A list is a header of four words: the address of its items, their number, for how many there is
room, and the list's number if it was there at the entry, else -1. Items of lists of lists are
addresses of headers, so a list with two names, or in two places, is one. Lists that the code makes
lie behind those of the entry; they become objects where a name or another list leads to them.
Other threads, which run now and then meanwhile, see the lists as they were.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

import numpy

from fastnp import _fastnp
from fastnp._loops.records import Record
from fastnp._loops.types import (
    BOOL,
    FLOAT,
    INT,
    NP_BOOL,
    NP_FLOAT,
    NP_INT,
    SIZES,
    ItemType,
    ListType,
    Number,
    TupleType,
    Unknown,
    either,
)

# The element type of the items, by the name of their type; of lists, words.
CHARS = {"int": "l", "float": "d", "bool": "?", "l": "l", "d": "d", "?": "?"}
CHARS |= {"int|l": "l", "float|d": "d", "bool|?": "?"}
KINDS: dict[type, Number] = {
    int: INT,
    float: FLOAT,
    bool: BOOL,
    numpy.int64: NP_INT,
    numpy.float64: NP_FLOAT,
    numpy.bool_: NP_BOOL,
}
CLASSES = {type_: class_ for class_, type_ in KINDS.items()}
# Numbers in a tuple that is an item, at most; each has a word.
MOST_FIELDS = 8
# Of longer lists so many items, evenly spread, say of which type it is.
SAMPLE = 1_000
# Lists in lists in lists, at most.
DEEPEST = 4
# Words of a header, and the places of what stands there, in bytes.
HEADER = 4
ITEMS, LENGTH, ROOM, NUMBER = 0, 8, 16, 24
# Words before the first header: where the next list is made, and where memory ends.
NEXT, END = 0, 8
PREFIX = 2
# Words for the lists that a run makes: 32 MB. A run that needs more ends, and the loop is entered
# again with empty memory.
MADE = 1 << 22
# Memory of the last run: new pages take 0.25 ns a byte.
_spare: list[numpy.ndarray] = []


def is_sequence(value: object) -> bool:
    """Whether an object is a list, or a deque without a greatest length."""
    return type(value) is list or (type(value) is deque and value.maxlen is None)


def type_of_list(sequence: list[Any] | deque[Any]) -> ListType | None:
    """The type of a list or a deque, or `None` where its items are no numbers or lists of one type.

    Of a long list some items are looked at: all of two millions take 20 ms. Each entry compares all
    of them with this type.
    """
    is_deque = not isinstance(sequence, list)
    value = sequence if isinstance(sequence, list) else list(sequence)
    depth, kinds = 0, item_kinds(value)
    while kinds == {list} and depth < DEEPEST:
        rows = value[:: len(value) // SAMPLE + 1]
        value = list(chain.from_iterable(rows)) or list(chain.from_iterable(value))
        depth, kinds = depth + 1, item_kinds(value)
    item: ItemType | None = Unknown(None)
    if kinds == {tuple}:
        item = type_of_tuples(value[:: len(value) // SAMPLE + 1])
    elif kinds:
        item = common_kind(kinds)
    if item is None:
        return None
    if is_deque:
        return None if depth else ListType(item, True, is_deque)
    type_ = ListType(item, True)
    for _ in range(depth):
        type_ = ListType(type_, True)
    return type_


def type_of_tuples(value: list[Any]) -> TupleType | None:
    """The type of tuples of as many numbers, of the same types; `None` of others."""
    if len(set(map(len, value))) != 1 or not 0 < len(value[0]) <= MOST_FIELDS:
        return None
    found = [set(map(type, column)) for column in zip(*value, strict=True)]
    items = [common_kind(kinds) for kinds in found]
    if not all(item is not None and item.is_python for item in items):
        return None
    return TupleType(tuple(item for item in items if item))


def common_kind(kinds: set[type]) -> Number | None:
    """The type of numbers of these classes: of one, or of Python's and NumPy's."""
    found = {KINDS.get(kind) for kind in kinds}
    first = found.pop()
    if not found or first is None:
        return first
    second = found.pop()
    return None if found or second is None else either(first, second)


def item_kinds(value: list[Any]) -> set[type]:
    """The types of a list's items, of a long one's those of some."""
    return set(map(type, value[:: len(value) // SAMPLE + 1]))


def items_of(value: list[Any], item: Number) -> numpy.ndarray | None:
    """The items of a list as an array; `None` if they are not all numbers of this type."""
    char = CHARS[item.name]
    if item.is_python:
        found = _fastnp.list_items(value, char)
        return None if found is None else in_memory(found, char)
    kinds = {*map(type, value)}
    if not item.is_either:
        return numpy.array(value, char) if kinds == {CLASSES[item]} or not kinds else None
    classes = CLASSES[item.plain], CLASSES[Number(char)]
    if not kinds <= {*classes}:
        return None
    words = numpy.zeros((len(value), 2), "l")
    try:
        column = numpy.array(value, char)
    except OverflowError:
        return None
    words[:, 0] = column.view("l") if column.itemsize == 8 else column
    words[:, 1] = [type(one) is classes[1] for one in value]
    return words.ravel()


def as_numbers(words: numpy.ndarray, item: Number) -> list[Any]:
    """Numbers of NumPy's, or of Python's and NumPy's, that lie in memory."""
    if not item.is_either:
        return list(words)
    values, tags = column_of(words, 2, 0, CHARS[item.name]), words.reshape(-1, 2)[:, 1]
    return [
        numpys if is_numpys else pythons
        for numpys, pythons, is_numpys in zip(
            values, values.tolist(), (tags & 255).tolist(), strict=True
        )
    ]


def column_of(words: numpy.ndarray, fields: int, k: int, char: str) -> numpy.ndarray:
    """One number of each item, of items of so many words."""
    rows = words.reshape(-1, fields)
    column = numpy.ascontiguousarray(rows[:, k]).view("u1").reshape(len(rows), 8)
    return column[:, : SIZES[char]].copy().view(char).ravel()


def fields_of(item: ItemType) -> int:
    """The words, or smaller elements, that an item takes. A number that is Python's or NumPy's has
    one that says whose it is.
    """
    if isinstance(item, Number):
        return 2 if item.is_either else 1
    return len(item.items) if isinstance(item, TupleType) else 1


def tuples_of(value: list[Any], item: TupleType) -> numpy.ndarray | None:
    """The items of a list of tuples, a word for each number; `None` if they are not of the type."""
    count = len(item.items)
    if value and (set(map(type, value)) != {tuple} or set(map(len, value)) != {count}):
        return None
    words = numpy.zeros((len(value), count), "l")
    for k, field in enumerate(item.items):
        assert isinstance(field, Number)
        column = items_of([one[k] for one in value], field)
        # Python takes nan in a tuple for equal to itself: the very object, which words are not.
        if column is None or (column.dtype == "d" and numpy.isnan(column).any()):
            return None
        words[:, k] = column.view("l") if column.itemsize == 8 else column
    return words.ravel()


def as_tuples(words: numpy.ndarray, item: TupleType) -> list[Any]:
    """Tuples of numbers that lie in words."""
    columns: list[list[Any]] = []
    for k, field in enumerate(item.items):
        assert isinstance(field, Number)
        columns.append(column_of(words, len(item.items), k, CHARS[field.name]).tolist())
    return list(zip(*columns, strict=True))


def as_items(words: numpy.ndarray, item: TupleType | Number) -> list[Any]:
    """Items that lie in memory."""
    return as_tuples(words, item) if isinstance(item, TupleType) else as_numbers(words, item)


def in_memory(found: bytes, char: str) -> numpy.ndarray:
    """What was read from lists, as an array."""
    return numpy.frombuffer(found, char) if found else numpy.empty(0, char)


class Entered(Record):
    """Lists that are there at the entry: one, or the rows of one.

    `items` has a line for each list, of lists of lists the numbers of those in them. `number` is
    that of the first list.
    """

    lists: Sequence[list[Any]]
    type: ListType
    items: numpy.ndarray
    number: int

    @property
    def length(self) -> int:
        """The items of each list."""
        return self.items.shape[1] // fields_of(self.type.item)


class Heap:
    """The memory of the lists of one run."""

    def __init__(self) -> None:
        self.entered: list[Entered] = []
        # The numbers of lists by their identity; by number, the lists, their types and the words
        # that their headers begin at.
        self.numbers: dict[int, int] = {}
        # Of rows that were entered at once: their identities in order, and their numbers.
        self.sorted_rows: list[tuple[numpy.ndarray, numpy.ndarray]] = []
        self.values: list[list[Any]] = []
        self.types: list[ListType] = []
        self.headers: Any = None
        self.made: dict[int, list[Any]] = {}
        self.memory: Any = None
        self.base = 0

    # At the entry.

    def number_of(self, value: Any, type_: ListType) -> int | None:
        """The number of a list, with those in it; `None` if it is not of the type."""
        if not is_sequence(value) or (type(value) is deque) != type_.is_deque:
            return None
        known = self.known(id(value))
        if known is not None:
            return known if self.types[known] == type_ else None
        number = len(self.values)
        self.values.append(value)
        self.types.append(type_)
        self.numbers[id(value)] = number
        item, there = type_.item, value
        value = list(value) if type_.is_deque else value
        if not isinstance(item, ListType):
            if isinstance(item, Unknown):
                items = None if value else numpy.empty(0, "l")
            elif isinstance(item, TupleType):
                items = tuples_of(value, item)
            else:
                items = items_of(value, item)
            if items is None:
                return None
            self.entered.append(Entered([there], type_, items[None], number))
            return number
        children = self.rows(value, item)
        if children is None:
            found = [self.number_of(row, item) for row in value]
            if None in found:
                return None
            children = numpy.array(found, "l")
        self.entered.append(Entered([value], type_, children[None], number))
        return number

    def known(self, identity: int) -> int | None:
        """The number of a list that was entered."""
        number = self.numbers.get(identity)
        for identities, numbers in self.sorted_rows if number is None else ():
            at = int(numpy.searchsorted(identities, identity))
            if at < len(identities) and identities[at] == identity:
                return int(numbers[at])
        return number

    def rows(self, value: list[Any], type_: ListType) -> numpy.ndarray | None:
        """The numbers of the rows of a list, entered at once; `None` if that cannot be."""
        item = type_.item
        if not isinstance(item, Number) or not item.is_python or len(value) < 4:
            return None
        found = _fastnp.list_rows(value, CHARS[item.name])
        if found is None:
            return None
        items = in_memory(found[0], CHARS[item.name]).reshape(len(value), len(value[0]))
        identities = in_memory(found[1], "l")
        order = numpy.argsort(identities)
        rows = identities[order], order + len(self.values)
        is_new = (rows[0][1:] != rows[0][:-1]).all()
        before = [numpy.array([*self.numbers], "l"), *(known for known, _ in self.sorted_rows)]
        for known in before:
            at = numpy.searchsorted(rows[0], known).clip(max=len(value) - 1)
            is_new = is_new and (rows[0][at] != known).all()
        if not is_new:
            return None
        first = len(self.values)
        self.sorted_rows.append(rows)
        self.values += value
        self.types += [type_] * len(value)
        self.entered.append(Entered(list(value), type_, items, first))
        return numpy.arange(first, first + len(value))

    def fill(self, makes: bool) -> None:
        """Writes what was entered, with room for lists that the code makes."""
        words = PREFIX
        self.headers = numpy.empty(len(self.values), "l")
        places: list[tuple[Entered, int, int]] = []
        for entered in self.entered:
            step, count = HEADER + _width(entered), len(entered.lists)
            places.append((entered, words, step))
            self.headers[entered.number : entered.number + count] = words + step * numpy.arange(
                count
            )
            words += step * count
        self._take(words + (MADE if makes else 0))
        memory, base = self.memory, self.base
        memory[:PREFIX] = base + 8 * words, base + 8 * len(memory)
        for entered, first, step in places:
            count = len(entered.lists)
            block = memory[first : first + count * step].reshape(count, step)
            block[:, 0] = base + 8 * (first + HEADER) + 8 * step * numpy.arange(count)
            block[:, 1] = block[:, 2] = entered.length
            block[:, 3] = numpy.arange(entered.number, entered.number + count)
            if entered.items.itemsize == 8:
                block[:, HEADER:] = self._words_of(entered)
            else:
                block[0, HEADER:].view("u1")[: entered.length] = entered.items[0]

    def _take(self, words: int) -> None:
        spare: Any = None
        with suppress(IndexError):
            spare = _spare.pop()
        if spare is None or not words <= len(spare) <= 4 * words + MADE:
            spare = numpy.empty(words, "l")
        self.memory = spare
        self.base = spare.__array_interface__["data"][0]

    def is_full(self) -> bool:
        """Whether less than half of the memory for new lists is left."""
        used = int(self.memory[0]) - self.base
        return len(self.memory) - used // 8 < MADE // 2

    def release(self) -> None:
        """Keeps the memory for the next run."""
        if not _spare and len(self.memory) <= 2 * MADE:
            _spare.append(self.memory)

    def address(self, number: int) -> int:
        """The address of the header of a list that was entered."""
        return self.base + 8 * int(self.headers[number])

    def _words_of(self, entered: Entered) -> numpy.ndarray:
        """The items of 8 bytes as they were written: of lists of lists, addresses."""
        if isinstance(entered.type.item, ListType):
            found: numpy.ndarray = self.base + 8 * self.headers[entered.items]
            return found
        return entered.items.view("l")

    # At the end.

    def object_at(self, address: int, type_: ListType) -> list[Any]:
        """The list whose header is at an address."""
        first = (address - self.base) // 8
        items, length, _, number = self.memory[first : first + HEADER].tolist()
        if number >= 0:
            return self.values[number]
        if address not in self.made:
            made: Any = deque() if type_.is_deque else []
            self.made[address] = made
            made += self.objects(items, length, type_.item)
        return self.made[address]

    def objects(self, address: int, length: int, item: ItemType) -> list[Any]:
        """The items at an address, as objects."""
        if isinstance(item, Unknown) or not length:
            return []
        found = self.words(address, length, item)
        if isinstance(item, ListType):
            return [self.object_at(where, item) for where in found.tolist()]
        if isinstance(item, TupleType):
            return as_tuples(found, item)
        return found.tolist() if item.is_python else as_numbers(found, item)

    def words(self, address: int, length: int, item: ItemType) -> numpy.ndarray:
        """The items at an address, as they lie there."""
        length *= fields_of(item)
        is_one = isinstance(item, Number) and not item.is_either
        char = CHARS[item.name] if isinstance(item, Number) and is_one else "l"
        first = address - self.base
        return self.memory.view("u1")[first : first + length * SIZES[char]].view(char)

    def put_back(self) -> None:
        """Stores in the lists what is different in the memory."""
        for entered in self.entered:
            count = len(entered.lists)
            is_wide = entered.items.itemsize == 8
            before = self._words_of(entered) if is_wide else entered.items
            if count > 1:
                first = int(self.headers[entered.number])
                step = HEADER + _width(entered)
                block = self.memory[first : first + count * step].reshape(count, step)
                is_same = (block[:, HEADER:] == before).all(1)
                starts = self.base + 8 * (first + HEADER) + 8 * step * numpy.arange(count)
                is_same &= (block[:, 1] == before.shape[1]) & (block[:, 0] == starts)
                rows = numpy.flatnonzero(~is_same).tolist()
            else:
                rows = list(range(count))
            for k in rows:
                self._put_back(entered.lists[k], entered, entered.number + k, before[k])

    def _put_back(
        self, value: list[Any], entered: Entered, number: int, before: numpy.ndarray
    ) -> None:
        first = self.headers[number]
        address, length = self.memory[first : first + 2].tolist()
        item = entered.type.item
        after = self.words(address, length, item)
        there = len(before) // fields_of(item)
        if entered.type.is_deque:
            # Items may have been taken from its beginning.
            if length != there or (before != after).any():
                value.clear()
                value += self.objects(address, length, item)
            return
        common, added = min(length, there), list[Any]()
        if isinstance(item, Number) and item.is_python:
            bits = f"u{before.itemsize}"
            parts = (part[:common].view(bits) for part in (after, before))
            _fastnp.put_list_items(value, CHARS[item.name], *parts)
            added = after[common:length].tolist()
        elif isinstance(item, ListType):
            for i in numpy.flatnonzero(before[:common] != after[:common]).tolist():
                value[i] = self.object_at(int(after[i]), item)
            added = [self.object_at(where, item) for where in after[common:length].tolist()]
        elif isinstance(item, TupleType | Number):
            fields = fields_of(item)
            split, bits = common * fields, f"u{before.itemsize}"
            differs = before[:split].view(bits) != after[:split].view(bits)
            changed = numpy.flatnonzero(differs.reshape(common, fields).any(1))
            made = as_items(after[:split].reshape(common, fields)[changed].ravel(), item)
            for i, one in zip(changed.tolist(), made, strict=True):
                value[i] = one
            added = as_items(after[split:], item)
        if length < there:
            del value[length:]
        else:
            value += added


def _width(entered: Entered) -> int:
    """The words of the items of each list."""
    return -(-entered.items.shape[1] * entered.items.itemsize // 8)
