"""Types of lists, and how lists lie in the memory of a run: `list_heap.rs` copies them there at the
entry, and puts back at the end what is different.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable
from functools import cache
from itertools import chain, islice
from typing import Any

import numpy

from fastnp import _fastnp
from fastnp._loops import set_order
from fastnp._loops.entry import TABLE_CLASSES
from fastnp._loops.item_types import DEEPEST
from fastnp._loops.types import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    NP_BOOL,
    NP_COMPLEX,
    NP_FLOAT,
    NP_INT,
    ComplexType,
    ItemType,
    ListType,
    Number,
    ReferenceType,
    SymbolType,
    TableType,
    TupleType,
    Unknown,
    common,
)

# The element type of the items, by the name of their type; of lists, words.
CHARS = {"int": "l", "float": "d", "bool": "?", "l": "l", "d": "d", "?": "?"}
CHARS |= {"int|l": "l", "float|d": "d", "bool|?": "?", "int|float": "d", "int|d": "d"}
KINDS: dict[type, Number] = {
    int: INT,
    float: FLOAT,
    bool: BOOL,
    numpy.int64: NP_INT,
    numpy.float64: NP_FLOAT,
    numpy.bool_: NP_BOOL,
}
COMPLEX_KINDS: dict[frozenset[type], ComplexType] = {
    frozenset([complex]): COMPLEX,
    frozenset([numpy.complex128]): NP_COMPLEX,
}
# The types of the items of a list of strings.
STRINGS = frozenset([str, type(None)])
# The types of which a `defaultdict` makes values, and the letters of all dictionaries.
DEFAULTS: dict[type, str] = {int: "int", float: "float", list: "list", set: "set"}
DEFAULT_LETTERS = {"": "D", "Counter": "Ec", "int": "Ei", "float": "Ef", "list": "El", "set": "Es"}
# Numbers in a tuple that is an item, at most; each has a word.
MOST_FIELDS = 8
# Of longer lists so many items, evenly spread, say of which type it is.
SAMPLE = 1_000
# Words of a header, and the places of what stands there, in bytes.
HEADER = 4
ITEMS, LENGTH, ROOM, NUMBER = 0, 8, 16, 24
# Words before the first header: where the next list is made, and where memory ends.
NEXT, END = 0, 8
# Words for the lists that a run makes: 32 MB. A run that needs more ends, and the loop is entered
# again with empty memory.
MADE = 1 << 22
# The types of numbers that are keys of tables, or in tuples that are.
KEYS = (INT, NP_INT)
# The same with dictionaries and sets, which outlive what is made for a turn: 128 MB. Memory that is
# not used costs nothing.
MADE_WITH_TABLES = 4
# The letters of numbers in the text of a layout.
LETTERS = {"int": "i", "float": "f", "bool": "b", "l": "l", "d": "d", "?": "?"}
# The types of numbers in tuples, which take a word each.
FIELDS = frozenset(["int", "float", "bool", "l", "d"])
LETTERS |= {"int|l": "I", "float|d": "F", "bool|?": "B", "int|float": "m", "int|d": "n"}


def is_sequence(value: object) -> bool:
    """Whether an object is a list, or a deque without a greatest length."""
    return type(value) is list or (type(value) is deque and value.maxlen is None)


def type_of_list(
    sequence: list[Any] | deque[Any],
    of_objects: Callable[[set[type], list[Any]], ReferenceType | None],
) -> ListType | None:
    """The type of a list or a deque, or `None` where its items are no numbers or lists of one type,
    nor objects, of which `of_objects` finds the type.

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
    elif len(kinds) == 1 and kinds <= TABLE_CLASSES:
        item = type_of_tables(value[:: len(value) // SAMPLE + 1], of_objects)
    elif str in kinds and kinds <= STRINGS:
        item = SymbolType()
    elif kinds:
        item = COMPLEX_KINDS.get(frozenset(kinds)) or common_kind(kinds) or of_objects(kinds, value)
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
    if not all(item is not None and item.name in FIELDS for item in items):
        return None
    return TupleType(tuple(item for item in items if item))


def type_of_table(
    table: dict[Any, Any] | set[Any],
    of_objects: Callable[[set[type], list[Any]], ReferenceType | None],
) -> TableType | None:
    """The type of a dictionary or a set whose keys are integers of Python's or of NumPy's 64 bits,
    tuples of as many of these, or strings; `None` of others. Of many items some are looked at.
    """
    default = default_of(table)
    if default is None or not set_order.is_known():
        return None
    if not table:
        return TableType(Unknown(None), Unknown(None) if isinstance(table, dict) else None, default)
    some = [*islice(table, SAMPLE)]
    kinds = {*map(type, some)}
    key: ItemType | None = type_of_tuples(some) if kinds == {tuple} else common_kind(kinds)
    if kinds == {str}:
        key = SymbolType()
    if key is None or not is_key(key):
        return None
    if not isinstance(table, dict):
        return TableType(key, None)
    values = type_of_list([*islice(table.values(), SAMPLE)], of_objects)
    return None if values is None else TableType(key, values.item, default)


def type_of_tables(
    some: list[Any], of_objects: Callable[[set[type], list[Any]], ReferenceType | None]
) -> TableType | None:
    """The type of several dictionaries, or sets, of which some may be empty."""
    full = [one for one in some if one]
    types = {type_of_table(one, of_objects) for one in full or some[:1]}
    defaults = {default_of(one) for one in some}
    return types.pop() if len(types) == len(defaults) == 1 else None


def default_of(table: dict[Any, Any] | set[Any]) -> str | None:
    """What is there under a key that is missing, as types name it; `None` if that is not known."""
    if type(table) is not defaultdict:
        return "Counter" if type(table) is Counter else ""
    factory: Any = table.default_factory
    return DEFAULTS.get(factory) if isinstance(factory, type) else None


def is_key(key: object) -> bool:
    """Whether tables have keys of a type: integers, tuples of these, or strings."""
    if isinstance(key, TupleType):
        return 0 < len(key.items) <= MOST_FIELDS and all(item in KEYS for item in key.items)
    return key in KEYS or key == SymbolType()


def common_kind(kinds: set[type]) -> Number | None:
    """The type of numbers of these classes: of one, of Python's and NumPy's, or of integers and
    floats.
    """
    found = {KINDS.get(kind) for kind in kinds}
    first = found.pop()
    if not found or first is None:
        return first
    second = found.pop()
    return None if found or second is None else common(first, second)


def item_kinds(value: list[Any]) -> set[type]:
    """The types of a list's items, of a long one's those of some."""
    return set(map(type, value[:: len(value) // SAMPLE + 1]))


def fields_of(item: ItemType) -> int:
    """The words, or smaller elements, that an item takes. A number that is Python's or NumPy's has
    one that says whose it is, and one that is an integer or a float one that says which; a complex
    number has two parts.
    """
    if isinstance(item, ComplexType):
        return 2
    if isinstance(item, Number):
        return 2 if item.is_either or item.is_mixed else 1
    return len(item.items) if isinstance(item, TupleType) else 1


def layout_of(type_: ListType | ReferenceType | SymbolType | TableType) -> _fastnp.ListLayout:
    """How lists or tables of a type, or objects, lie in memory."""
    return layout(item_text(type_))


@cache
def layout(text: str) -> _fastnp.ListLayout:
    return _fastnp.ListLayout(text)


def layout_text(type_: ListType) -> str:
    """The text that `ListLayout` reads."""
    inside = "" if isinstance(type_.item, Unknown) else item_text(type_.item)
    return f"{{{inside}}}" if type_.is_deque else f"[{inside}]"


def item_text(item: object) -> str:
    """The part of a layout's text for an item, or an attribute."""
    match item:
        case Number(name=name):
            return LETTERS[name]
        case ComplexType(is_python=is_python):
            return "z" if is_python else "Z"
        case TupleType(items=items):
            names = (item.name for item in items if isinstance(item, Number))
            return f"({''.join(LETTERS[name] for name in names)})"
        case ReferenceType(number=number):
            return f"<{number}>"
        case SymbolType():
            return "s"
        case ListType():
            return layout_text(item)
        case TableType(key=key, value=None):
            return f"S{item_text(key)}"
        case TableType(key=key, value=value, default=default):
            return f"{DEFAULT_LETTERS[default]}{item_text(key)}{item_text(value)}"
    return "_"
