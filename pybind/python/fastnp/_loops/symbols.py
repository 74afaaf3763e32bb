"""Members of enumerations (`agent.state is State.ILL`), attributes of objects in memory that are
strings (`agent.state == "ill"`), or `None`: numbers, of which equal strings have one. Characters
are not looked at.
"""

from __future__ import annotations

from typing import TypeGuard

from fastnp._loops import attributes
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Learned, Unsupported
from fastnp._loops.places import Place
from fastnp._loops.structs import ASCII, MOST_ASCII, is_member, structs_of
from fastnp._loops.types import (
    BOOL,
    I8,
    I64,
    CharType,
    InstanceType,
    ListType,
    Number,
    ObjectType,
    SymbolType,
    TupleType,
    Value,
)


def is_symbol(value: object) -> TypeGuard[Value]:
    """Whether a value of the compiled code is the number of a string."""
    return isinstance(value, Value) and isinstance(value.type, SymbolType)


def of_member(e: Emitter, value: Value) -> Value:
    """A member of an enumeration, known when the loop is compiled or at a place, as a number; other
    values as they are.
    """
    if isinstance(value.type, InstanceType):
        found = e.free.get(value.type.path, value)
        return found if is_symbol(found) else value
    known = value.type.value if isinstance(value.type, ObjectType) else None
    if not is_member(known):
        return value
    number = word(e, value)
    assert number is not None
    return Value(SymbolType(type(known)), (number,))


def as_instance(e: Emitter, value: Value) -> Value:
    """The object of a member of an enumeration that is at a place, whose attributes are asked for;
    other values as they are.
    """
    if not is_symbol(value):
        return value
    path = next((path for path, one in e.free.items() if one.registers == value.registers), "")
    for parameter in e.parameters if path else ():
        if parameter.name == path:
            place = parameter.find if isinstance(parameter.find, Place) else Place(path)
            return attributes.instance_at(e, place, place.found(e.names)) or value
    return value


def word(e: Emitter, value: Value | Elementwise) -> str | None:
    """The number of a string or of `None` in a register; `None` of other values."""
    if isinstance(value, Elementwise):
        return None
    if isinstance(value.type, CharType):
        return of_char(e, value.register)
    if isinstance(value.type, ObjectType):
        known = value.type.value
        if known is not None and not value.type.is_constant:
            if not is_member(known):
                return None
            expect_members(e, type(known))
        return e.text.integer(0 if known is None else structs_of(e.learned).symbol(known))
    return value.register if is_symbol(value) else None


def of_char(e: Emitter, code: str) -> str:
    """The number of a character of ASCII, all of which have one; others are left."""
    if ASCII not in e.learned:
        raise Learned(ASCII, True)
    text = e.text
    e.leave_unless(text.op(I8, "icmp.ult", code, text.integer(MOST_ASCII)))
    return text.op(I64, "add", code, text.integer(1))


def as_symbol(e: Emitter, value: Value) -> Value:
    """A string that is known, or a character, as a number; other values as they are."""
    is_known = isinstance(value.type, ObjectType) and type(value.type.value) is str
    if not is_known and not isinstance(value.type, CharType):
        return value
    number = word(e, value)
    assert number is not None
    return Value(SymbolType(), (number,))


def expect_members(e: Emitter, class_: type) -> None:
    """Has the members of an enumeration have numbers."""
    for name in ("__eq__", "__ne__"):
        attributes.guarded(e, class_, name)
    structs_of(e.learned).add_members(class_)


def fitting(e: Emitter, value: Value | Elementwise) -> tuple[str, ...]:
    """A value to be stored to an attribute that is a string, in a register."""
    found = word(e, value)
    if found is None:
        what = value.type if isinstance(value, Value) else "an array"
        raise Unsupported(f"{what} in the place of a string")
    return (found,)


def equals(e: Emitter, left: Value, right: Value) -> str:
    """Whether two values are equal, of which one is such a string."""
    for value in (left, right):
        if isinstance(value.type, SymbolType) and value.type.class_ is not None:
            expect_members(e, value.type.class_)
    words = [word(e, value) for value in (left, right)]
    if words[0] is not None and words[1] is not None:
        return e.text.op(I8, "icmp.eq", words[0], words[1])
    other = left.type if words[0] is None else right.type
    if isinstance(other, TupleType | ListType) or (isinstance(other, Number) and other.is_python):
        return e.text.truth(False)
    raise Unsupported(f"a string and {other}")


def compared(e: Emitter, left: Value, right: Value, is_negated: bool) -> Value:
    """`a == b` and `a != b`."""
    same = equals(e, left, right)
    return Value(BOOL, (e.text.op(I8, "not", same) if is_negated else same,))


def is_same(e: Emitter, left: Value, right: Value, is_negated: bool) -> Value:
    """`a is None`, `a is State.ILL`, and their opposites: which of equal strings one is, compiled
    code does not know.
    """
    types = [value.type for value in (left, right) if isinstance(value.type, SymbolType)]
    if len(types) == 2 and any(type_.class_ is not None for type_ in types):
        return compared(e, left, right, is_negated)
    other = right if is_symbol(left) else left
    known: object = other.type.value if isinstance(other.type, ObjectType) else other
    if known is not None and not is_member(known):
        raise Unsupported(f"`is` of {left.type} and {right.type}")
    return compared(e, left, right, is_negated)
