"""What functions return whose bodies are written in place of calls.

A function that returns values of different types, such as a number or `None`, has what follows the
call written for each.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from fastnp._loops import arrays, element_loops
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Call, Emitter, Path, State, Unsupported, is_attribute, join
from fastnp._loops.types import Type, Value


class DifferentTypes(Unsupported):
    """A function returns values of different types, or leaves attributes of different types. If a
    statement's value is the call alone, the rest of the statement is written once for each type.
    """

    def __init__(self, node: ast.Call | None, call: Call) -> None:
        super().__init__("a function that returns values of different types")
        self.node, self.call = node, call

    @property
    def types(self) -> list[Type]:
        return [value.type for _, value in self.call.returns]


def attributes_of(state: State) -> State:
    """The attributes among the variables of a state, which a call's path has as the caller's."""
    return {name: state[name] for name in filter(is_attribute, state)}


def attributes_after(call: Call) -> State | None:
    """The attributes that the loop stores to where the returns of a call have met; `None` if one is
    of different types.
    """
    found: State | None = None
    for path, _ in call.returns:
        state = attributes_of(path.state)
        found = state if found is None else join(found, state)
        if found is None:
            return None
    return found or {}


def meet(e: Emitter, returns: Sequence[tuple[Path, Any]]) -> Value:
    """The one value of several returns of a type, where their paths meet."""
    type_: Type = returns[0][1].type
    result = tuple(e.text.register(kind) for kind in type_.registers)
    after = e.text.new_block("returned")
    for path, value in returns:
        e.text.start(path.block)
        for target, source in zip(result, value.registers, strict=True):
            e.text.copy(target, source)
        e.text.jump(after)
    e.text.start(after)
    return Value(type_, result)


def of_each_type(e: Emitter, call: Call) -> Iterator[Value]:
    """The value of each type that a call returns, on the paths that return it."""
    groups: list[tuple[Type, State, list[tuple[Path, Any]]]] = []
    for path, value in call.returns:
        if not isinstance(value, Value):
            raise Unsupported("a function that returns an array, or something else")
        attributes = attributes_of(path.state)
        for i, (type_, state, members) in enumerate(groups):
            joined = join(state, attributes) if type_ == value.type else None
            if joined is not None:
                groups[i] = (type_, joined, [*members, (path, value)])
                break
        else:
            groups.append((value.type, attributes, [(path, value)]))
    outer = e.state
    for _, state, members in groups:
        result = meet(e, members)
        e.state = outer | state
        e.forget_since(({}, {}))
        yield result


def in_memory(
    e: Emitter, values: list[tuple[Path, Value | Elementwise]]
) -> list[tuple[Path, Value]]:
    """New arrays of one type that a function returns on several paths, each computed on its own."""
    found: list[tuple[Path, Value]] = []
    for path, value in values:
        if not arrays.is_array(value):
            raise Unsupported("a function that returns values of different types")
        e.text.start(path.block)
        e.forget_since(({}, {}))
        made = element_loops.in_memory(e, value)
        found.append((Path(path.state, e.text.block), made))
    if len({made.type for _, made in found}) > 1:
        raise Unsupported("a function that returns values of different types")
    return found
