"""Scopes that are not the loop's: the variables and defaults of functions, modules, classes."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from fastnp._loops import complexes, numbers
from fastnp._loops.emitter import Emitter
from fastnp._loops.parameters import object_type
from fastnp._loops.types import ObjectType, Value


def constant(e: Emitter, scope: Any, name: str, known: object) -> Value | None:
    """A value that the code takes for a constant, as long as a scope has it under a name; `None`
    of what is no number, function or the like. Without a scope, the code relies on it already.
    """
    type_ = object_type(known)
    is_number = isinstance(known, bool | int | float) or type(known) is complex
    if type_ is None and not is_number:
        return None
    if scope is not None:
        e.scoped_constants.append((scope, name, known))
    if isinstance(type_, ObjectType):
        return Value(type_, ())
    if isinstance(known, complex):
        return complexes.literal(e, known)
    return numbers.literal(e, known)  # type: ignore[arg-type]


class Cells:
    """The variables that a function has from functions around it."""

    def __init__(self, function: FunctionType) -> None:
        self.cells = dict(
            zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        )

    def get(self, name: str, default: object) -> object:
        try:
            return self.cells[name].cell_contents
        except (KeyError, ValueError):
            return default


class Defaults:
    """The defaults of a function's parameters."""

    def __init__(self, function: FunctionType) -> None:
        self.function = function

    def get(self, name: str, default: object) -> object:
        code, values = self.function.__code__, self.function.__defaults__ or ()
        names = code.co_varnames[: code.co_argcount]
        found = dict(zip(reversed(names), reversed(values), strict=False))
        return {**found, **(self.function.__kwdefaults__ or {})}.get(name, default)
