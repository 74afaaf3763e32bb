"""Attributes of objects of the program's classes, and their methods.

An object is known by where it is found: a name that the loop does not bind, and attributes from
there (`self`, `self.box`). Its class, which must look attributes up as `object` does, is a guard of
the code, and so is what the class has under the names that are used. An attribute is a parameter,
found where the loop is entered. One that the loop stores to is a variable of the state, under its
place as a name (`self.count`): exits store it, and the object gets its value when the run is over.

A method is written in the place of its call, as any function. What it stores to attributes is in
registers: the exits of the statement take those of before, which are kept.
"""

from __future__ import annotations

from enum import EnumMeta
from types import FunctionType, MemberDescriptorType
from typing import Any

from fastnp._loops import closures, dictionaries, generators, scopes, undo
from fastnp._loops.emitter import Emitter, Learned, Unsupported, Variable, is_attribute
from fastnp._loops.names import Names
from fastnp._loops.parameters import lengths_of, object_type
from fastnp._loops.places import MISSING, Object, Place, class_attribute, is_plain, kept, looked_up
from fastnp._loops.structs import has_plain_metaclass, is_member, structs_of
from fastnp._loops.types import (
    ArrayType,
    InstanceType,
    ObjectType,
    RangeType,
    TupleType,
    Value,
)

# Among what is learned of a loop: that functions which it calls store to attributes.
STORED_IN_CALLS = "attributes stored in calls"


def instance_at(e: Emitter, place: Place, known: object) -> Value | None:
    """An object of the program that is found at a place; `None` of objects that are none."""
    class_ = type(known)
    is_known = is_plain(class_) or generators.is_generator(known) or dictionaries.is_known(known)
    if not is_known or not isinstance(e.names, Names):
        return None
    # An object has one path, and the code relies on others' being other objects.
    for path, other in e.objects.items():
        if other.place.found(e.names) is known:
            if place != other.place and place not in other.also_at:
                other.also_at.append(place)
            return Value(InstanceType(path, class_), ())
    dictionaries.check_apart(e, known)
    e.objects[place.path] = Object(place, class_, [], [])
    return Value(InstanceType(place.path, class_), ())


def guarded(e: Emitter, class_: type, name: str) -> Any:
    """What a class has under a name, which the code relies on."""
    if (class_, name) not in e.looked_up:
        e.looked_up[class_, name] = looked_up(class_, name)
        for base in class_.__mro__:
            found = vars(base).get(name, MISSING)
            e.scoped_constants.append((vars(base), name, found))
            if found is not MISSING:
                break
    return e.looked_up[class_, name]


def of_class(e: Emitter, class_: type, name: str) -> Value:
    """`Class.name`: a number, a string or a function, which the code relies on."""
    if type(class_) is EnumMeta:
        members = class_._member_map_
        if name in members:
            e.scoped_constants.append((members, name, members[name]))
            return Value(ObjectType(members[name]), ())
    found = MISSING
    if has_plain_metaclass(class_) and not hasattr(type(class_), name):
        guarded(e, class_, name)
        found = class_attribute(class_, name)
    if isinstance(found, staticmethod):
        found = found.__func__
    is_bound = hasattr(found, "__get__") and type(found) is not FunctionType
    constant = None if found is MISSING or is_bound else scopes.constant(e, None, name, found)
    if constant is None:
        raise Unsupported(f"`{class_.__name__}.{name}`")
    return constant


def attribute(e: Emitter, value: Value, name: str) -> Value:
    """`value.name` of an object."""
    type_ = instance(value)
    path, owner = f"{type_.path}.{name}", e.objects[type_.path]
    if path in e.state:
        variable = e.read(path)
        assert variable is not None
        return variable
    place = place_of(e, owner, name)
    if place is None:
        of_class = guarded(e, type_.class_, name)
        if isinstance(of_class, property) and isinstance(of_class.fget, FunctionType):
            return single(e.inline(e, of_class.fget, None, [value]), name)
        if of_class is None or hasattr(of_class, "__get__"):
            raise Unsupported(f"`.{name}` of {type_}")
        found = scopes.constant(e, None, name, of_class)
        if found is None:
            raise Unsupported(f"`{path}` is {type(of_class).__name__}")
        return found
    return found_at(e, path, owner, place)


def found_at(e: Emitter, path: str, owner: Object, place: Place) -> Value:
    """What is found at a place below an object, which the loop does not store to."""
    known = place.found(e.names)
    if closures.is_of_program(known):
        e.closures.add(place, known)
        return Value(ObjectType(known), ())
    is_value = e.is_text(known) or is_member(known)
    if not is_value and (constant := object_type(known)) is not None:
        rely_on(owner, place, known)
        return Value(constant, ())
    if path in e.free:
        return e.free[path]
    if (known_type := e.type_at_entry(path, known)) is not None:
        e.free[path] = e.parameter(path, known_type, place, lengths_of(known))
        return e.free[path]
    inner = instance_at(e, place, known)
    if inner is None:
        raise Unsupported(f"`{path}` is {type(known).__name__}")
    return inner


def place_of(e: Emitter, owner: Object, name: str) -> Place | None:
    """Where an attribute of an object itself is found; `None` if it has none of this name."""
    if name.startswith("__"):
        raise Unsupported(f"`.{name}`")
    of_class = guarded(e, owner.class_, name)
    if isinstance(of_class, MemberDescriptorType):
        place = owner.place.attribute(owner.class_, name, of_class)
        return place if place.found(e.names) is not MISSING else None
    if is_data(of_class):
        return None
    place = owner.place.attribute(owner.class_, name, None)
    if place.found(e.names) is not MISSING:
        return place
    rely_on(owner, place, MISSING)
    return None


def rely_on(owner: Object, place: Place, known: object) -> None:
    """Has the code rely on what is at a place below an object."""
    if not any(there == place for there, _ in owner.known):
        owner.known.append((place, known))


def is_data(descriptor: object) -> bool:
    """Whether what a class has is asked before the object's own attributes."""
    return hasattr(type(descriptor), "__set__") or hasattr(type(descriptor), "__delete__")


def instance(value: Value) -> InstanceType:
    assert isinstance(value.type, InstanceType)
    return value.type


def single(value: object, what: str) -> Value:
    if not isinstance(value, Value):
        raise Unsupported(f"`.{what}`, an array that is computed")
    return value


def method(e: Emitter, value: Value, name: str) -> tuple[FunctionType, list[Value]] | None:
    """The function that `value.name(…)` calls, if it is one of the object's class, and what it is
    given before the arguments.
    """
    type_ = instance(value)
    if place_of(e, e.objects[type_.path], name) is not None:
        return None
    found = guarded(e, type_.class_, name)
    if isinstance(found, staticmethod) and isinstance(found.__func__, FunctionType):
        return found.__func__, []
    return (found, [value]) if isinstance(found, FunctionType) else None


# Stores.


def prepare(e: Emitter, value: Value, name: str) -> str:
    """The variable of an attribute that is to be stored to."""
    check_stored(e, value)
    type_ = instance(value)
    place = place_of(e, e.objects[type_.path], name)
    return stored_at(e, f"{type_.path}.{name}", place)


def stored_at(e: Emitter, path: str, place: Place | None) -> str:
    """The variable of what is stored to at a place."""
    if path not in e.state:
        if place is None or e.is_recorded:
            raise Unsupported(f"an assignment to `{path}`, which is new")
        if e.calls and e.calls_may_store:
            e.learned[STORED_IN_CALLS] = True
        raise Learned(Stored(path), place)
    if e.calls and (not e.calls_may_store or e.attributes_before is None):
        if e.calls_may_store and STORED_IN_CALLS not in e.learned:
            raise Learned(STORED_IN_CALLS, True)
        raise Unsupported(undo.REASON)
    return path


def check_stored(e: Emitter, value: Value) -> None:
    """Refuses objects whose class says itself what storing to an attribute means."""
    if guarded(e, instance(value).class_, "__setattr__") is not vars(object)["__setattr__"]:
        raise Unsupported(f"an assignment to an attribute of {value.type}")


class Stored(str):
    """Among what is learned of a loop, an attribute that it stores to; no variable's name."""

    __slots__ = ()


def begin(e: Emitter) -> None:
    """Has the attributes be variables that the loop stores to."""
    # The types of lists among them are learned on the way.
    for path, place in [*e.learned.items()]:
        if isinstance(path, Stored):
            if structs_of(e.learned).type_of(place.owner().found(e.names)) is not None:
                # It was found that its object lies in memory.
                del e.learned[path]
                continue
            known = place.found(e.names)
            type_ = e.type_at_entry(path, known)
            if isinstance(type_, ObjectType) and type_.is_constant:
                e.state[path] = Variable(type_)
                e.constants_at_entry.append((place, type_))
                continue
            if type_ is None or isinstance(type_, ObjectType | RangeType | TupleType):
                raise Unsupported(f"an assignment to `{path}`")
            lengths = lengths_of(known) if isinstance(type_, ArrayType) else ()
            e.parameter(path, type_, place, lengths)
            e.state[path] = Variable(type_)


def keep(e: Emitter) -> None:
    """Keeps the attributes as they are before a statement in which calls may store to them."""
    if STORED_IN_CALLS not in e.learned:
        return
    e.attributes_before = {}
    for path, variable in e.state.items():
        if is_attribute(path):
            e.attributes_before[path] = variable
            registers = (e.registers(at, variable.type) for at in (kept(path), path))
            for target, source in zip(*registers, strict=True):
                e.text.copy(target, source)
