"""Scopes that are not the loop's: the variables and defaults of functions, modules, classes."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy

from fastnp._loops import complexes, numbers, tuples
from fastnp._loops.emitter import Emitter
from fastnp._loops.parameters import MAX_ITEMS, object_type
from fastnp._loops.types import ObjectType, Value


def constant(e: Emitter, scope: Any, name: str, known: object) -> Value | None:
    """A value that the code takes for a constant, as long as a scope has it under a name; `None`
    of what is no number, function or the like. Without a scope, the code relies on it already.
    """
    found = known_value(e, known)
    if found is not None and scope is not None:
        e.scoped_constants.append((scope, name, known))
    return found


def known_value(e: Emitter, known: object) -> Value | None:
    """A number, a function or the like, or a tuple of such, as a constant of the code."""
    if type(known) is tuple:
        items = [known_value(e, item) for item in known[: MAX_ITEMS + 1]]
        if len(items) > MAX_ITEMS or None in items:
            return None
        return tuples.of_items([item for item in items if item is not None])
    if isinstance(type_ := object_type(known), ObjectType):
        return Value(type_, ())
    if type(known) is complex or type(known) is numpy.complex128:
        return complexes.literal(e, known)
    return numbers.constant(e, known)


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
