"""Objects of the program's classes as values: the address of one in the memory of a run, 0 for
`None`. `structs` lays them out, `fields` reads and stores their attributes.
"""

from __future__ import annotations

from typing import TypeGuard

from fastnp._loops import attributes
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Learned, Unsupported
from fastnp._loops.structs import STRUCTS, structs_of
from fastnp._loops.types import (
    BOOL,
    I8,
    InstanceType,
    Number,
    ObjectType,
    ReferenceType,
    Value,
)


def is_reference(value: object) -> TypeGuard[Value]:
    """Whether a value of the compiled code is the address of an object."""
    return isinstance(value, Value) and isinstance(value.type, ReferenceType)


def reference(value: Value) -> ReferenceType:
    assert isinstance(value.type, ReferenceType)
    return value.type


def is_none(value: object) -> bool:
    """Whether a value is `None`, as is known when the loop is compiled."""
    type_ = value.type if isinstance(value, Value) else None
    return isinstance(type_, ObjectType) and type_.value is None


def expect(e: Emitter, type_: InstanceType) -> None:
    """Has the loop written again with the objects of a class in memory, if all their attributes
    can lie there, as a variable is bound to several.
    """
    structs = structs_of(e.learned)
    if structs.adds(e.objects[type_.path].place.found(e.names)):
        raise Learned(STRUCTS, structs)


def check_present(e: Emitter, value: Value) -> None:
    """Leaves where an object is `None`."""
    key = ("present", value.register)
    if key not in e.checked:
        e.leave_if(e.text.op(I8, "icmp.eq", value.register, e.text.integer(0)))
        e.checked[key] = value.register


def fitting(e: Emitter, type_: ReferenceType, value: Value | Elementwise) -> tuple[str, ...]:
    """An object, or `None`, to be stored where there are objects of a type, in a register."""
    if is_none(value):
        return (e.text.integer(0),)
    if not isinstance(value, Value) or value.type != type_:
        what = value.type if isinstance(value, Value) else "an array"
        raise Unsupported(f"{what} in the place of {type_}")
    return value.registers


def is_same(e: Emitter, left: Value, right: Value, what: str) -> str:
    """Whether two values, of which one is an object, are one object, for `is` or `==`."""
    values = (left, right)
    if what == "==":
        for value in filter(is_reference, values):
            expect_own(e, value, "__eq__", "__ne__")
    if all(is_reference(value) or is_none(value) for value in values):
        classes = {reference(value).class_ for value in values if is_reference(value)}
        if len(classes) > 1:
            # Both may be `None`.
            raise Unsupported(f"{left.type} {what} {right.type}")
        addresses = [v.register if is_reference(v) else e.text.integer(0) for v in values]
        return e.text.op(I8, "icmp.eq", *addresses)
    other = right if is_reference(left) else left
    is_pythons = isinstance(other.type, Number) and other.type.is_python
    if is_pythons or (isinstance(other.type, ObjectType) and other.type.is_constant):
        return e.text.truth(False)
    raise Unsupported(f"{left.type} {what} {right.type}")


def expect_own(e: Emitter, value: Value, *names: str) -> None:
    """Refuses objects whose class has something of its own under these names."""
    for name in names:
        if attributes.guarded(e, reference(value).class_, name) is not vars(object).get(name):
            raise Unsupported(f"`{name}` of {value.type}")


def compared(e: Emitter, left: Value, right: Value, what: str, is_negated: bool) -> Value:
    """`a is b`, `a == b`, and their opposites."""
    same = is_same(e, left, right, what)
    return Value(BOOL, (e.text.op(I8, "not", same) if is_negated else same,))


def truth(e: Emitter, value: Value) -> str:
    """`bool(value)` of an object, or `None`."""
    expect_own(e, value, "__bool__", "__len__")
    return e.text.op(I8, "icmp.ne", value.register, e.text.integer(0))
