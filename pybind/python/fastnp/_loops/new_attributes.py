"""Attributes of objects that the loop makes: what they are is learned from what `__init__` stores.

One that is `None` there is taken for another object of the class, or `None`, until something else
is stored.
"""

from __future__ import annotations

from typing import Any

from fastnp._loops import lists, references, symbols
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Learned, Unsupported
from fastnp._loops.item_types import resolved
from fastnp._loops.source import as_statements
from fastnp._loops.structs import Field, Struct, structs_of
from fastnp._loops.types import ListType, ReferenceType, SymbolType, TableType, Value

Operand = Value | Elementwise


def is_constructed(e: Emitter, owner: Value) -> bool:
    """Whether an object is the new one whose `__init__` is being written. Its memory is its own, so
    what is stored there need not be undone.
    """
    constructions = structs_of(e.learned).constructions
    if not constructions or constructions[-1].depth != len(e.calls):
        return False
    init = constructions[-1].init
    source = as_statements(init)
    if source is None or e.calls[-1].function is not init:
        return False
    first = [*source[0].posonlyargs, *source[0].args][0].arg
    return owner.registers == e.registers(first, owner.type)


def learned(e: Emitter, struct: Struct, name: str, value: Operand) -> Field | None:
    """The field of an attribute that no object has yet; `None` if there is none."""
    if struct.made is None or name not in struct.made or (struct.class_, name) in e.learned:
        return None
    structs = structs_of(e.learned)
    if references.is_none(value):
        struct.guesses.add(name)
        item: Any = structs.reference(struct.class_)
    else:
        item = item_of(e, value)
    e.learned[struct.class_, name] = item
    structs.has_learned = True
    return struct.add(name, as_known(e, item))


def learn_other(e: Emitter, struct: Struct, name: str, value: Operand) -> None:
    """Notes what an attribute is that was `None` so far."""
    if name in struct.guesses and not references.is_none(value):
        item = item_of(e, value)
        if item != structs_of(e.learned).reference(struct.class_):
            if not isinstance(item, ReferenceType | SymbolType):
                raise Unsupported(f"`.{name}` that is None or {item}")
            struct.guesses.discard(name)
            raise Learned((struct.class_, name), item)


def item_of(e: Emitter, value: Operand) -> Any:
    """What an attribute is that gets a value."""
    if isinstance(value, Elementwise):
        raise Unsupported("an array as an attribute of a new object")
    value = lists.settled(e, symbols.of_member(e, value))
    if symbols.is_symbol(value):
        return SymbolType()
    if not lists.is_item(value):
        raise Unsupported(f"{value.type} as an attribute of a new object")
    return value.type


def as_known(e: Emitter, item: Any) -> Any:
    """The type of an attribute, with what is known by now of the lists in it."""
    item = resolved(item, e.learned)
    if isinstance(item, ListType):
        return item._replace(item=as_known(e, item.item), is_fixed=e.is_fixed)
    if isinstance(item, TableType):
        return item._replace(value=as_known(e, item.value))
    return item
