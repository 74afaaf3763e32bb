"""Names that a function whose body is compiled finds outside of it: globals, variables of functions
around it, and defaults.
"""

from __future__ import annotations

import builtins
from types import FunctionType, MethodType
from typing import Any

from fastnp._loops import attributes, draws, inner_functions, numbers, scopes
from fastnp._loops.closures import is_of_program
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.names import Names
from fastnp._loops.parameters import lengths_of
from fastnp._loops.places import MISSING, Place, is_plain
from fastnp._loops.types import (
    ArrayType,
    ListType,
    ObjectType,
    ReferenceType,
    TableType,
    TextType,
    Value,
)

# The name of the function that `jit` puts around one: what is around that is not known.
OF_JIT = "closure"


def free_name(e: Emitter, name: str) -> Value:
    """A name that the function whose body is compiled finds outside of it."""
    return free_name_of(e, e.calls[-1].function, name)


def free_name_of(e: Emitter, function: Any, name: str) -> Value:
    """A name that a function finds outside of it."""
    code, scope = function.__code__, function.__globals__
    if name in code.co_varnames:
        raise Unsupported(f"`{name}` of {function.__name__}, which is not bound")
    is_cell = name in code.co_freevars
    if is_cell and (maker := inner_functions.call_of_maker(e, function)) is not None:
        around: Any = maker.function
        if name in around.__code__.co_freevars:
            return free_name_of(e, around, name)
        found = inner_functions.variable(e, maker, name)
        if found is None:
            raise Unsupported(f"`{name}` of {around.__name__}, which is not bound")
        return found
    if name in e.binds and not (is_cell and are_apart(e.closures.scope, code.co_qualname)):
        # Perhaps the same global or the same cell, which the loop changes.
        raise Unsupported(f"`{name}` of the function that is called, which the loop binds too")
    what = f"`{name}` of the function that is called"
    if is_cell:
        if (place := e.closures.place_of(function)) is not None:
            return value_at(e, place.cell(code, name), what)
        scope = scopes.Cells(function)
    known = scope.get(name, scope)
    if known is scope:
        known = getattr(builtins, name, scope)
    if known is scope:
        raise Unsupported(f"`{name}` is not found")
    return outside(e, scope, name, known, what)


def are_apart(loop: str, function: str) -> bool:
    """Whether a loop's scope and a function, by their qualified names, are within no function that
    could have a variable for both.
    """
    roots = {name.partition(".<locals>")[0] for name in (loop, function)}
    return len(roots) == 2 and OF_JIT not in roots


def default(e: Emitter, function: FunctionType, name: str) -> Value:
    """The default of a parameter."""
    if (maker := inner_functions.call_of_maker(e, function)) is not None:
        variable = inner_functions.variable_of_default(function.__code__, name)
        if (value := inner_functions.variable(e, maker, variable)) is not None:
            return value
    scope = scopes.Defaults(function)
    known = scope.get(name, scope)
    if known is scope:
        raise Unsupported(f"the arguments of {function.__name__}")
    what = f"the default of `{name}`"
    if (place := e.closures.place_of(function)) is not None:
        return value_at(e, place.default(function.__code__, name), what)
    return outside(e, scope, name, known, what)


def outside(e: Emitter, scope: Any, name: str, known: object, what: str) -> Value:
    """A value of a scope that is not the loop's."""
    is_constant = not e.is_text(known)
    value = scopes.constant(e, scope, name, known) if is_constant else None
    value = value or free_parameter(e, scope, name, known)
    if value is None:
        raise Unsupported(f"{what} is {type(known).__name__}")
    return value


def free_parameter(e: Emitter, scope: object, name: str, known: object) -> Value | None:
    """A list, a dictionary, a set, an array or an object that is a global of the loop and of the
    function that is called.
    """
    if not isinstance(e.names, Names) or not e.names.is_global(name, scope):
        return None
    if name in e.free:
        return e.free[name]
    type_ = e.type_at_entry(name, known)
    if type_ is None:
        return attributes.instance_at(e, Place(name), known)
    if not isinstance(type_, ArrayType | ListType | ReferenceType | TableType | TextType):
        return None
    prefix, e.prefix = e.prefix, ""
    e.free[name] = e.parameter(name, type_, lengths=lengths_of(known))
    e.prefix = prefix
    return e.free[name]


def function_at(e: Emitter, place: Place, known: Any) -> Value | None:
    """A function that the code knows by its code, or a method of an object; `None` of others."""
    if not isinstance(e.names, Names):
        return None
    if type(known) is MethodType:
        is_method = type(known.__func__) is FunctionType and draws.source_of(known) is None
        if not is_method or not is_plain(type(known.__self__)):
            return None
    elif not is_of_program(known):
        return None
    e.closures.add(place, known)
    return Value(ObjectType(known), ())


def value_at(e: Emitter, place: Place, what: str) -> Value:
    """What a cell or a default of a function is, or the object that a method is bound to."""
    known, path = place.found(e.names), place.path
    if known is MISSING:
        raise Unsupported(f"{what}, which is not bound")
    if path in e.free:
        return e.free[path]
    if (function := function_at(e, place, known)) is not None:
        return function
    if e.closures.rely_on_literal(place, known):
        return numbers.literal(e, known)
    type_ = e.type_at_entry(path, known)
    if type_ is None:
        instance = attributes.instance_at(e, place, known)
        if instance is None:
            raise Unsupported(f"{what} is {type(known).__name__}")
        return instance
    if isinstance(type_, ObjectType):
        if type_.is_constant:
            e.constants_at_entry.append((place, type_))
        else:
            e.closures.rely_on(place, known)
        return Value(type_, ())
    e.free[path] = e.parameter(path, type_, place, lengths_of(known))
    return e.free[path]
