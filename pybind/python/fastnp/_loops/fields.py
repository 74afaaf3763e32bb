"""Attributes of objects that lists hold: fields of what lies in the memory of the run.

What the class has under the names that are used is a guard of the code; that each object has these
attributes itself, of these types, is checked where they are copied at the entry.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, MemberDescriptorType
from typing import Any

from fastnp._loops import attributes, lists, new_attributes, numbers, scopes, symbols
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Learned, Unsupported
from fastnp._loops.entry import TABLE_CLASSES
from fastnp._loops.heap import common_kind, is_sequence
from fastnp._loops.item_types import COMPUTED_KEYS, of_either
from fastnp._loops.places import MISSING, Link
from fastnp._loops.references import check_present, is_same, reference
from fastnp._loops.structs import MOST_FIELDS, STRUCTS, Field, Struct, is_member, structs_of
from fastnp._loops.types import (
    I8,
    I64,
    ItemType,
    ListType,
    Number,
    ReferenceType,
    SymbolType,
    TableType,
    Value,
    common,
)


def struct_of(e: Emitter, value: Value) -> Struct:
    return structs_of(e.learned).by_class[reference(value).class_]


def attribute(e: Emitter, value: Value, name: str) -> Value:
    """`value.name`."""
    struct, found = struct_of(e, value), field_of(e, value, name)
    check_present(e, value)
    if isinstance(found, Field):
        return lists.load(e, ListType(found.item, e.is_fixed), place(e, value, found))
    if isinstance(found, property) and isinstance(found.fget, FunctionType):
        return attributes.single(e.inline(e, found.fget, None, [value]), name)
    if found is None or hasattr(found, "__get__"):
        raise Unsupported(f"`.{name}` of {value.type}")
    constant = scopes.constant(e, None, name, found)
    if constant is None:
        raise Unsupported(f"`.{name}` of {value.type} is {type(found).__name__}")
    struct.shared[name] = found
    return constant


def place(e: Emitter, value: Value, field: Field) -> str:
    """The address of an attribute."""
    return e.text.op(I64, "add", value.register, e.text.integer(field.offset))


def field_of(e: Emitter, value: Value, name: str) -> Any:
    """The field of an attribute, if objects have it themselves; else what the class has."""
    struct = struct_of(e, value)
    if name in struct.fields:
        return struct.fields[name]
    if name.startswith("__") or name in struct.methods or len(struct.fields) >= MOST_FIELDS:
        raise Unsupported(f"`.{name}` of {value.type}")
    attributes.guarded(e, struct.class_, "__getattribute__")
    of_class = attributes.guarded(e, struct.class_, name)
    slot = of_class if isinstance(of_class, MemberDescriptorType) else None
    if slot is None and hasattr(type(of_class), "__get__"):
        # Perhaps code of the program's, as a `cached_property` is where an object has none.
        return of_class
    if slot is not None and "__slots__" not in vars(slot.__objclass__):
        raise Unsupported(f"`.{name}` of {value.type}")
    link = Link(struct.class_, name, slot)
    found = struct.found(link)
    is_learned = (struct.class_, name) in e.learned
    if all(value is MISSING for value in found) and not is_learned:
        return of_class
    item = item_of(e, struct, name, found)
    if item is None:
        kinds = sorted({type(value).__name__ for value in found if value is not MISSING})
        raise Unsupported(f"`.{name}` of {value.type} is {' or '.join(kinds)}")
    return struct.add(name, item)


def item_of(e: Emitter, struct: Struct, name: str, found: list[Any]) -> ItemType | None:
    """What an attribute is, whose values these are; `None` if compiled code has no such."""
    if (struct.class_, name) in e.learned:
        learned: ItemType = new_attributes.as_known(e, e.learned[struct.class_, name])
        return learned
    kinds = set(map(type, found))
    if all(map(is_sequence, found)):
        longest: Any = max(found, key=len)
        type_ = e.type_at_entry(f"{struct.class_.__qualname__}.{name}", longest)
        return type_ if isinstance(type_, ListType) else None
    if len(kinds) == 1 and kinds <= TABLE_CLASSES:
        largest: Any = max(found, key=len)
        e.learned[COMPUTED_KEYS, id(largest)] = True
        table = e.type_at_entry(f"{struct.class_.__qualname__}.{name}", largest)
        return table if isinstance(table, TableType) else None
    others = kinds - {type(None)}
    if others == {str}:
        return SymbolType()
    if len(others) == 1 and is_member(first := next(one for one in found if one is not None)):
        symbols.expect_members(e, type(first))
        return SymbolType()
    if number := common_kind(kinds):
        item: ItemType = of_either(number, e.learned)
        return item
    structs = structs_of(e.learned)
    if not others:
        # Another object of the class, or `None`, until something else is stored.
        struct.guesses.add(name)
        return structs.reference(struct.class_)
    item_type = structs.items_type(kinds, found)
    if structs.is_new:
        raise Learned(STRUCTS, structs)
    return item_type


def method(e: Emitter, value: Value, name: str) -> tuple[FunctionType, list[Value]]:
    """The function that `value.name(…)` calls, and what it is given before the arguments."""
    struct = struct_of(e, value)
    if name in struct.fields or name.startswith("__"):
        raise Unsupported(f"the method `{name}`")
    attributes.guarded(e, struct.class_, "__getattribute__")
    found = attributes.guarded(e, struct.class_, name)
    check_present(e, value)
    if isinstance(found, FunctionType):
        struct.methods[name] = found
        return found, [value]
    if isinstance(found, staticmethod) and isinstance(found.__func__, FunctionType):
        struct.shared[name] = found.__func__
        return found.__func__, []
    raise Unsupported(f"the method `{name}`")


def prepare(e: Emitter, owner: Value, name: str, value: Value | Elementwise) -> Callable[[], None]:
    """Makes the checks of `owner.name = value`; the result has its effect."""
    struct = struct_of(e, owner)
    setter = attributes.guarded(e, struct.class_, "__setattr__")
    field = field_of(e, owner, name)
    is_new = new_attributes.is_constructed(e, owner)
    is_bound = hasattr(type(field), "__get__") and not isinstance(field, MemberDescriptorType)
    if is_new and not is_bound and not isinstance(field, Field):
        field = new_attributes.learned(e, struct, name, value)
    if setter is not vars(object)["__setattr__"] or not isinstance(field, Field):
        raise Unsupported(f"an assignment to `.{name}` of {owner.type}")
    check_present(e, owner)
    type_ = ListType(field.item, e.is_fixed)
    registers = fitting(e, struct, name, field.item, value)
    at = place(e, owner, field)
    if not is_new:
        lists.note(e, type_, at)
    return lambda: lists.put(e, type_, at, registers)


def fitting(
    e: Emitter, struct: Struct, name: str, item: ItemType, value: Value | Elementwise
) -> tuple[str, ...]:
    """A value to be stored to an attribute, in registers. One of integers that gets a float holds
    both.
    """
    new_attributes.learn_other(e, struct, name, value)
    if isinstance(item, SymbolType):
        return symbols.fitting(e, value)
    if isinstance(item, Number) and isinstance(value, Value) and isinstance(value.type, Number):
        value = e.settle(value)
        have = numbers.number(value)
        joined = common(have, item)
        if have != item and not item.is_mixed and joined is not None and joined.is_mixed:
            if have.is_mixed and not item.is_integer:
                raise Unsupported(f"{have} stored to `.{name}`")
            raise Learned((struct.class_, name), joined)
    return lists.fitting(e, ListType(item, e.is_fixed), value)


def is_among(e: Emitter, value: Value, within: Value) -> str:
    """`value in list`, of objects."""
    if not isinstance(lists.list_type(within).item, ReferenceType):
        raise Unsupported(f"{value.type} in {within.type}")
    count = lists.matching(e, within, lambda item: is_same(e, item, value, "=="), only_first=True)
    return e.text.op(I8, "icmp.gt", count, e.text.integer(0))
