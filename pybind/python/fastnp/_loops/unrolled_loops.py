"""`for` statements over tuples and lists of known length whose items are arrays, or of several
types: the turns are written one after the other (loop unrolling).

The items to come are variables that no program has a name for: so the memory of arrays among them
is not given to others meanwhile, and where the loop is left, the interpreter gets them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from fastnp._loops import arrays, element_loops, lists, scratch, tuples, unrolled
from fastnp._loops.assignments import prepare_variable
from fastnp._loops.emitter import Emitter, Opaque, OpenLoop, Path, Unsupported
from fastnp._loops.entry import Objects
from fastnp._loops.iterables import Known
from fastnp._loops.loop import below
from fastnp._loops.records import Record
from fastnp._loops.types import (
    InstanceType,
    ListType,
    ObjectType,
    TupleType,
    Type,
    Value,
    arrays_in,
    rooted,
)

Block = Callable[[Emitter, list[ast.stmt]], list[Path]]


class ItemsToCome(Record):
    """The items of the turns to come, as an iterator that the interpreter can go on with."""

    registers: tuple[str, ...]
    types: tuple[Type, ...]
    rebuild: Callable[[list[Any], Objects], Any]


def hold_all(e: Emitter, statement: ast.For, known: Known) -> None:
    """Begins a loop over these items: they become variables, new arrays in memory of their own."""
    if not e.calls and any(
        isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and part.id in known.lists
        for part in below(statement)
    ):
        raise Unsupported("a list whose name is bound in the loop over it")
    roots = [type_.root for item in known.items for type_ in arrays_in(item.type)]
    for k, item in enumerate(known.items):
        hold(e, f"{prefix_of(e)}{k}]", item, roots)


def prefix_of(e: Emitter) -> str:
    """What the names of the items to come begin with: loops around have variables of their own."""
    return f"{len(e.loops)}["


def for_items(
    e: Emitter, statement: ast.For, known: Known, block: Block, most_paths: int
) -> list[Path]:
    """The turns of a `for` loop over items that are variables, its `else`, and what follows."""
    prefix = prefix_of(e)
    names = [f"{prefix}{k}]" for k in range(len(known.items))]
    types = [held(e, name, item.type) for name, item in zip(names, known.items, strict=True)]
    loop = OpenLoop(e.numbers.get(statement, -1), None)
    loop.is_unrolled = True
    paths = [e.path()]
    e.loops.append(loop)
    try:
        for k, (name, type_) in enumerate(zip(names, types, strict=True)):
            if len(paths) > most_paths:
                raise Unsupported("values of too many types")
            after: list[Path] = []
            for path in paths:
                e.go_on(path)
                e.forget_since(({}, {}))
                e.begin_statement()
                if not e.calls:
                    e.position = e.numbers[statement]
                    loop.iterator = items_to_come(e, known, names, types, k)
                with scratch.scope(e):
                    for effect in prepared(e, statement.target, take(e, name, type_)):
                        effect()
                if not e.calls:
                    loop.iterator = items_to_come(e, known, names, types, k + 1)
                after += block(e, statement.body)
            paths = e.meet([*after, *loop.continues])
            loop.continues.clear()
    finally:
        e.loops.pop()
    after = [Path(without(path.state, prefix), path.block) for path in loop.breaks]
    for path in paths:
        e.go_on(path)
        after += block(e, statement.orelse)
    return e.meet(after)


def without(state: dict[str, Any], prefix: str) -> dict[str, Any]:
    """A state without the items that are still to come."""
    return {name: variable for name, variable in state.items() if not name.startswith(prefix)}


def hold(e: Emitter, name: str, item: Value, roots: list[int]) -> None:
    """Keeps an item for its turn; those of a tuple each by itself."""
    if isinstance(item.type, TupleType):
        for k, part in enumerate(tuples.items_of(item)):
            hold(e, f"{name}{k}]", part, roots)
    elif unrolled.is_new(e, item):
        if roots.count(unrolled.one_array(item).root) > 1:
            raise Unsupported("an array that two names stand for")
        element_loops.kept(e, name, arrays.elements(e, unrolled.of_its_own(e, item)))()
    else:
        e.bind(name, e.settle(item))


def held(e: Emitter, name: str, type_: Type) -> Type:
    """The type of an item that is kept."""
    if isinstance(type_, TupleType):
        return TupleType(tuple(held(e, f"{name}{k}]", one) for k, one in enumerate(type_.items)))
    found = e.state[name].type
    assert not isinstance(found, Opaque)
    return found


def take(e: Emitter, name: str, type_: Type) -> Value:
    """An item whose turn it is."""
    if isinstance(type_, TupleType):
        parts = enumerate(type_.items)
        return tuples.of_items([take(e, f"{name}{k}]", part) for k, part in parts])
    value = e.read(name)
    assert value is not None
    del e.state[name]
    return value


def prepared(e: Emitter, target: ast.expr, value: Value) -> list[Callable[[], None]]:
    """Makes the checks of binding the target of a loop; the results have the effects."""
    if isinstance(target, ast.Name):
        if e.calls and isinstance(value.type, ObjectType | InstanceType):
            return [lambda: e.bind(target.id, value)]
        return [prepare_variable(e, target.id, value)]
    if not isinstance(target, ast.Tuple) or not isinstance(value.type, TupleType | ListType):
        raise Unsupported("the target of this loop")
    is_list = isinstance(value.type, ListType)
    parts = lists.unpacked(e, value, len(target.elts)) if is_list else tuples.items_of(value)
    if len(parts) != len(target.elts):
        raise Unsupported("a target of another length")
    pairs = zip(target.elts, parts, strict=True)
    return [effect for part, one in pairs for effect in prepared(e, part, one)]


def items_to_come(
    e: Emitter, known: Known, names: list[str], types: list[Type], taken: int
) -> ItemsToCome:
    """The items that are to come after so many, for an exit."""
    # What tells the exits of one turn from those of another.
    registers = [e.text.integer(taken)]
    leaves: list[Type] = []

    def add(name: str, type_: Type) -> None:
        if isinstance(type_, TupleType):
            for k, part in enumerate(type_.items):
                add(f"{name}{k}]", part)
            return
        leaves.append(type_)
        registers.extend(e.registers(name, type_))
        registers.extend(e.roots[array.root] for array in rooted(type_))

    to_come = types[taken:]
    for name, type_ in zip(names[taken:], to_come, strict=True):
        add(name, type_)

    def rebuild(words: list[Any], objects: Objects) -> Any:
        words.pop(0)

        def item(type_: Type) -> Any:
            if isinstance(type_, TupleType):
                return tuple(map(item, type_.items))
            count = len(type_.registers) + len(rooted(type_))
            return objects.object_of(type_, [words.pop(0) for _ in range(count)])

        return known.source([*map(item, to_come)], taken, objects.names)

    return ItemsToCome(tuple(registers), tuple(leaves), rebuild)
