"""Attributes of objects in memory that are strings (`agent.state == "ill"`), members of
enumerations (`agent.state is State.ILL`), or `None`: numbers, of which equal strings have one.
Characters are not looked at.
"""

from __future__ import annotations

from typing import TypeGuard

from fastnp._loops import attributes
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.structs import is_member, structs_of
from fastnp._loops.types import (
    BOOL,
    I8,
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


def word(e: Emitter, value: Value | Elementwise) -> str | None:
    """The number of a string or of `None` in a register; `None` of other values."""
    if isinstance(value, Elementwise):
        return None
    if isinstance(value.type, ObjectType):
        known = value.type.value
        if known is not None and not value.type.is_constant:
            if not is_member(known):
                return None
            expect_members(e, type(known))
        return e.text.integer(0 if known is None else structs_of(e.learned).symbol(known))
    return value.register if is_symbol(value) else None


def expect_members(e: Emitter, class_: type) -> None:
    """Has the members of an enumeration have numbers."""
    for name in ("__eq__", "__ne__"):
        attributes.guarded(e, class_, name)
    for member in class_._member_map_.values():  # type: ignore[attr-defined]
        structs_of(e.learned).symbol(member)


def fitting(e: Emitter, value: Value | Elementwise) -> tuple[str, ...]:
    """A value to be stored to an attribute that is a string, in a register."""
    found = word(e, value)
    if found is None:
        what = value.type if isinstance(value, Value) else "an array"
        raise Unsupported(f"{what} in the place of a string")
    return (found,)


def equals(e: Emitter, left: Value, right: Value) -> str:
    """Whether two values are equal, of which one is such a string."""
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
    other = right if is_symbol(left) else left
    known = other.type.value if isinstance(other.type, ObjectType) else other
    if known is not None and not is_member(known):
        raise Unsupported(f"`is` of a string and {other.type}")
    return compared(e, left, right, is_negated)
