"""Tuples and lists of known length whose items are arrays, or of several types.

The items are values side by side. Arrays among them that are computed lie in scratch memory of the
statement, or in buffers of a function that it calls: where they are unpacked, or get a name
together, each gets memory of its own. So two names never stand for one such array. Nor do two names
stand for one list: where the loop is left, each becomes a list.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from types import FunctionType, MethodType
from typing import TypeGuard

from fastnp._loops import arrays, element_loops, iterators, lists, tuples
from fastnp._loops.arrays import SCRATCH, Elementwise
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import (
    ArrayType,
    InstanceType,
    ObjectType,
    TupleType,
    Type,
    UnrolledList,
    Value,
    arrays_in,
)

Operand = Value | Elementwise


def fresh(e: Emitter, value: Operand, number: int) -> Value:
    """An item of its number: an array that is computed is one in scratch memory, whose root tells
    it from the other items.
    """
    if not isinstance(value, Elementwise):
        return value
    if not value.shape:
        raise Unsupported("an array without axes among several values")
    # Its lengths may be those of a variable that is bound again meanwhile.
    made = e.snapshot(element_loops.in_memory(e, value))
    kind = arrays.array_type(made)._replace(root=SCRATCH - 1 - number, is_whole=True)
    return made._replace(type=kind)


def display(e: Emitter, items: Sequence[Operand]) -> Value:
    """`(a, b, …)`."""
    return tuples.of_items([fresh(e, item, number) for number, item in enumerate(items)])


def listed(e: Emitter, items: Sequence[Operand], origin: object) -> Value:
    """`[a, b, …]`."""
    return made(e, [fresh(e, item, number) for number, item in enumerate(items)], origin)


def made(e: Emitter, items: list[Value], origin: object) -> Value:
    """A list of items: of numbers one as all others."""
    if not any(arrays_in(item.type) for item in items):
        return lists.display(e, items, origin)
    together = tuples.of_items(items)
    return Value(UnrolledList(tuple(item.type for item in items)), together.registers)


def is_new(e: Emitter, item: Value) -> bool:
    """Whether an item is an array, or has one, that is in scratch memory, or was made by a function
    that is over.
    """
    active = tuple(call.prefix for call in e.calls)
    over = {
        -1 - number
        for key, number in e.buffers.items()
        if "/" in key and not key.startswith(active or ("/",))
    }
    return any(type_.root <= SCRATCH or type_.root in over for type_ in arrays_in(item.type))


def new_arrays(e: Emitter, targets: list[ast.expr], items: list[Value]) -> list[Operand]:
    """The items that are assigned to names at once, new arrays by their elements."""
    if not all(isinstance(target, ast.Name) for target in targets):
        raise Unsupported("several arrays stored in one statement")
    if len(targets) != len(items):
        raise Unsupported("unpacking of another number of values")
    roots = [type_.root for item in items for type_ in arrays_in(item.type)]
    if any(is_new(e, item) and roots.count(one_array(item).root) > 1 for item in items):
        raise Unsupported("an array that two names stand for")
    return [of_its_own(e, item) for item in items]


def one_array(item: Value) -> ArrayType:
    """The type of an item that is an array."""
    if not isinstance(item.type, ArrayType):
        raise Unsupported("arrays in a tuple of a tuple")
    return item.type


def of_its_own(e: Emitter, item: Value) -> Operand:
    """A value that a name is bound to: a new array by its elements, as nothing else leads to it."""
    if not is_new(e, item):
        return item
    type_ = one_array(item)
    states = [e.state, *(call.callers_state for call in e.calls)]
    held = {x.root for state in states for v in state.values() for x in arrays_in(v.type)}
    if not type_.is_whole or type_.root in held:
        raise Unsupported("a name for a view of an array that the loop made, or for one of several")
    return arrays.elements(e, item)


def kept(e: Emitter, name: str, value: Value) -> Callable[[], None]:
    """`name = value` of a tuple, or of a list that is unrolled: the result binds the variable."""
    type_, items = value.type, tuples.items_of(value)
    if isinstance(type_, UnrolledList) and type_.name is not None:
        raise Unsupported("a list that has two names")
    roots = [array.root for array in arrays_in(type_)]
    old = [item for item in items if not is_new(e, item)]
    held = tuple(array.root for item in old for array in arrays_in(item.type))
    found, effects = list[Value](), list[Callable[[], None]]()
    for k, item in enumerate(items):
        if is_new(e, item):
            if roots.count(one_array(item).root) > 1:
                raise Unsupported("an array that two names stand for")
            source = arrays.elements(e, of_its_own(e, item))
            item, put = element_loops.in_buffer(e, name, source, f"[{k}]", held)
            effects.append(put)
        elif not e.calls and arrays_in(item.type):
            check_whole(one_array(item))
        found.append(e.snapshot(e.settle(item)))
    together = tuples.of_items(found)
    if isinstance(type_, UnrolledList):
        kind = UnrolledList(tuple(item.type for item in found), f"{e.prefix}{name}")
        together = Value(kind, together.registers)

    def bind() -> None:
        for put in effects:
            put()
        e.bind(name, together)

    return bind


def check_whole(type_: ArrayType) -> None:
    """Refuses a view of an array that the loop made."""
    if type_.is_made and not type_.is_whole:
        raise Unsupported("a name for a view of an array that the loop made")


def check_objects(type_: Type) -> None:
    """Refuses objects among several values that the code knows by their places or by their code:
    which ones they are, it cannot store.
    """
    if isinstance(type_, TupleType | UnrolledList):
        for item in type_.items:
            check_objects(item)
    elif isinstance(type_, InstanceType) or (
        isinstance(type_, ObjectType) and isinstance(type_.value, FunctionType | MethodType)
    ):
        raise Unsupported(f"a name for several values, with {type_} among them")


def returned(e: Emitter, value: Value) -> Value:
    """A value that a function which is called returns: a list of its own has no name any more."""
    if isinstance(value.type, UnrolledList) and (value.type.name or "").startswith(e.prefix):
        return value._replace(type=value.type._replace(name=None))
    return value


def is_unrolled(value: object) -> TypeGuard[Value]:
    """Whether a loop over a value is written once for each item: of arrays, or of several types."""
    type_ = value.type if isinstance(value, Value) else None
    if not isinstance(type_, TupleType | UnrolledList) or len(type_.items) > iterators.MAX_TUPLE:
        return False
    return isinstance(type_, UnrolledList) or not iterators.is_of_alike(type_)
