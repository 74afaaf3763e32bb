"""Strings that are attributes of objects in memory (`agent.state == "ill"`), or `None` in their
place: numbers, of which equal strings have one. Their characters are not looked at.
"""

from __future__ import annotations

from typing import TypeGuard

from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.structs import structs_of
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
    if isinstance(value.type, ObjectType) and value.type.is_constant:
        known = value.type.value
        return e.text.integer(0 if known is None else structs_of(e.learned).symbol(str(known)))
    return value.register if is_symbol(value) else None


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


def is_none(e: Emitter, left: Value, right: Value, is_negated: bool) -> Value:
    """`a is None` and `a is not None`: which of equal strings one is, compiled code does not
    know.
    """
    other = right if is_symbol(left) else left
    if not (isinstance(other.type, ObjectType) and other.type.value is None):
        raise Unsupported(f"`is` of a string and {other.type}")
    return compared(e, left, right, is_negated)
