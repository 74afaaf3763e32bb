"""Dictionaries under keys of the source: `params["dt"]`, `counts["open"] += 1`.

What a dictionary has under such a key is to the code what an attribute of an object is: a
parameter, found where the loop is entered, or a variable, if the loop stores to it. The key must be
there. A dictionary that is used in another way lies in memory (`tables`), or is the interpreter's.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fastnp._loops.emitter import Emitter, Learned, Unsupported
from fastnp._loops.heap import type_of_table
from fastnp._loops.item_types import COMPUTED_KEYS, MOST_KEYS
from fastnp._loops.places import MISSING, Link, Place
from fastnp._loops.structs import structs_of
from fastnp._loops.types import InstanceType, ObjectType, SymbolType, TableType, Value

if TYPE_CHECKING:
    from fastnp._loops.places import Object


def is_known(known: Any) -> bool:
    """Whether an object is a dictionary of a few names or integers, and none of a scope or a class.

    Others might have keys whose comparisons are code of the program's.
    """
    return (
        type(known) is dict
        and len(known) <= MOST_KEYS
        and all(type(key) in (str, int) for key in known)
        and "__name__" not in known
        and "__module__" not in known
    )


def check_apart(e: Emitter, known: Any) -> None:
    """Refuses a dictionary that may be the attributes of an object that the code uses too."""
    others = [(other.class_, other.place.found(e.names)) for other in e.objects.values()]
    for class_, struct in structs_of(e.learned).by_class.items():
        others += [(class_, sample) for sample in struct.samples.values()]
    if type(known) is dict:
        pairs = [(class_, other, known) for class_, other in others if class_ is not dict]
    else:
        pairs = [(type(known), known, other) for class_, other in others if class_ is dict]
    for class_, owner, dictionary in pairs:
        if all(
            type(key) is str and Link(class_, key, None).found(owner) is value
            for key, value in dictionary.items()
        ):
            raise Unsupported("a dictionary that may be the attributes of an object")


def is_dictionary(value: object) -> bool:
    """Whether a value is a dictionary that the code knows by its place."""
    type_ = value.type if isinstance(value, Value) else None
    return isinstance(type_, InstanceType) and type_.class_ is dict


def expect_table(e: Emitter, value: object) -> None:
    """Has the loop written again with a dictionary in memory that was taken to be used under keys
    of the source, if it can lie there.
    """
    type_ = value.type if isinstance(value, Value) else None
    if not isinstance(type_, InstanceType) or type_.class_ is not dict:
        return
    known: Any = e.objects[type_.path].place.found(e.names)
    if type_of_table(known, structs_of(e.learned).items_type) is not None:
        # Its items are no variables any more.
        paths = [name for name in e.learned if isinstance(name, str)]
        for name in paths:
            if name.rpartition(".")[0] == type_.path:
                del e.learned[name]
        raise Learned((COMPUTED_KEYS, id(known)), True)


def check_others(e: Emitter) -> None:
    """Has dictionaries lie in memory, too, of which items under integers, or strings, are known by
    their places, if one with such keys does: the two might be one at a later entry.
    """
    tables = [one.type for one in e.parameters if isinstance(one.type, TableType)]
    keys = {isinstance(type_.key, SymbolType) for type_ in tables if type_.value}
    if not keys:
        return
    if True in keys:
        for one in e.parameters:
            place = one.find if isinstance(one.find, Place) else Place(one.name or "")
            known = place.found(e.names) if isinstance(one.type, TableType) else None
            if type(known) is dict:
                check_apart(e, known)
    for path, owner in e.objects.items():
        used = [name for name in (*e.free, *e.state) if name.rpartition(".")[0] == path]
        names = [name.rpartition(".")[2] for name in used]
        if owner.class_ is dict and any((not name.isdigit()) in keys for name in names):
            expect_table(e, Value(InstanceType(path, dict), ()))
            raise Unsupported("dictionaries that may be one")


def place_of(
    e: Emitter, value: Value, index: ast.expr, single: Callable[[Emitter, ast.expr], Value]
) -> tuple[str, Object, Place]:
    """The path of an item, its dictionary, and where it is found."""
    assert isinstance(value.type, InstanceType)
    at = single(e, index)
    key: Any = at.type.value if isinstance(at.type, ObjectType) else at.literal
    # A key is a part of the names of registers.
    is_name = type(key) is str and key.isascii() and key.isidentifier()
    if not is_name and not (type(key) is int and key >= 0):
        expect_table(e, value)
        raise Unsupported("a key of this dictionary that is no name of the source")
    owner = e.objects[value.type.path]
    place = owner.place.item(key)
    path = f"{value.type.path}.{key}"
    if path not in e.state and place.found(e.names) is MISSING:
        expect_table(e, value)
        raise Unsupported(f"`{path}`, a key that is not there")
    return path, owner, place
