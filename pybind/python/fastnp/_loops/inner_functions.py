"""Functions that are made by a function whose body is compiled: `def` and `lambda` within it.

One lives as long as the call that makes it, as no function that returns it is compiled. So it is a
function without contents, known when the loop is compiled, and its variables of the function around
are read in the registers that they have there, when it is called. Its defaults that are not written
out are variables there, too.
"""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Callable
from copy import copy
from types import CellType, CodeType, FunctionType
from typing import Any

from fastnp._loops.emitter import Call, Emitter, Unsupported
from fastnp._loops.loop import annotations_of, body_as_parsed, is_plain_definition
from fastnp._loops.source import code_within, remember
from fastnp._loops.types import ObjectType, TupleType, UnrolledList, Value

# In the place of the call that makes a function.
OF_LOOP = "loop"
# `from __future__ import annotations`
FUTURE_ANNOTATIONS = 0x1000000
NOT_PLAIN = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def made(
    e: Emitter, node: ast.FunctionDef | ast.Lambda, single: Callable[[Emitter, ast.expr], Value]
) -> Value:
    """The function that a definition in a function that is called makes."""
    if not e.calls:
        raise Unsupported("a function that the loop makes")
    call: Any = e.calls[-1]
    code = code_within(call.function.__code__, node)
    if code is None or not is_plain(node, call.function.__code__):
        raise Unsupported("a function with decorators or annotations, in one that is called")
    if any(f"[{name}]" in e.state for name in code.co_freevars):
        raise Unsupported("a function of a comprehension's variable")
    parameters = node.args
    by_place = [*parameters.posonlyargs, *parameters.args]
    count = len(parameters.defaults)
    given = [
        *zip(by_place[len(by_place) - count :], parameters.defaults, strict=True),
        *zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True),
    ]
    for parameter, default in given:
        if default is not None and not isinstance(default, ast.Constant):
            if len(e.loops) > call.callers_loops:
                # One of each turn, and those of before may be in use.
                raise Unsupported("a function with defaults that is made in a loop")
            value = e.settle(single(e, default))
            e.bind(variable_of_default(code, parameter.arg), value)
    if is_of_loop(e):
        remember(code, node.args, body_of(node))
    key = id(code), call.prefix
    if key not in e.closures.made:
        contents = tuple(CellType() for _ in code.co_freevars)
        constants = [getattr(default, "value", None) for _, default in given]
        function = FunctionType(
            code, call.function.__globals__, code.co_name, tuple(constants[:count]), contents
        )
        by_keyword = zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True)
        function.__kwdefaults__ = {
            parameter.arg: getattr(default, "value", None)
            for parameter, default in by_keyword
            if default is not None
        }
        e.closures.made[key] = function
        e.closures.makers[id(function)] = call.prefix
    return Value(ObjectType(e.closures.made[key]), ())


def passed(e: Emitter, node: ast.expr, expression: Callable[[Emitter, ast.expr], Any]) -> Any:
    """An argument of a call; a lambda expression is a function that the loop itself makes for it.

    Such a function is compiled apart from the scope that it is in, so all names that are not its
    own are globals to it: they mean what they mean in the loop (`is_of_loop`).
    """
    if e.calls or not isinstance(node, ast.Lambda):
        return expression(e, node)
    defaults = [*node.args.defaults, *node.args.kw_defaults]
    if any(default is not None for default in defaults):
        raise Unsupported("a lambda expression with defaults")
    if id(node) not in e.closures.passed:
        whole = compile(ast.Expression(node), "<loop>", "eval")
        (code,) = (part for part in whole.co_consts if isinstance(part, CodeType))
        function = FunctionType(code, e.closures.names_of_loop)
        remember(code, node.args, body_of(node))
        e.closures.passed[id(node)] = node, function
        e.closures.makers[id(function)] = OF_LOOP
    return Value(ObjectType(e.closures.passed[id(node)][1]), ())


def body_of(node: ast.FunctionDef | ast.Lambda) -> list[ast.stmt]:
    """The statements of a function, of which a lambda expression has one."""
    if isinstance(node, ast.Lambda):
        return [ast.copy_location(ast.Return(node.body), node.body)]
    return body_as_parsed(node)


def defined(e: Emitter, node: ast.FunctionDef) -> Value:
    """The function that a definition in the loop's own body makes: as that of a lambda expression
    which is an argument. Where the loop is left, the interpreter makes it again.
    """
    if not is_plain_definition(node):
        raise Unsupported("a function with decorators, annotations or defaults")
    if id(node) not in e.closures.passed:
        body, alone = body_as_parsed(node), copy(node)
        alone.body, alone.returns = body, None
        try:
            whole = compile(ast.Module([alone], []), "<loop>", "exec")
        except SyntaxError:
            raise Unsupported("a function that binds variables of the loop") from None
        (code,) = (part for part in whole.co_consts if isinstance(part, CodeType))
        if code.co_flags & NOT_PLAIN:
            raise Unsupported("a generator that the loop makes")
        given = tuple(getattr(default, "value", None) for default in node.args.defaults)
        function = FunctionType(code, e.closures.names_of_loop, node.name, given)
        function.__kwdefaults__ = {
            parameter.arg: getattr(default, "value", None)
            for parameter, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            if default is not None
        }
        remember(code, node.args, body)
        e.closures.passed[id(node)] = node, function
        e.closures.makers[id(function)] = OF_LOOP
        e.closures.definitions[id(function)] = e.numbers[node]
    return Value(ObjectType(e.closures.passed[id(node)][1]), ())


def is_of_loop(e: Emitter, name: str = "") -> bool:
    """Whether the function whose body is compiled is made by the loop itself, or within one, and a
    name is that of none of the functions around it.
    """
    function: Any = e.calls[-1].function
    is_free = name in function.__code__.co_freevars
    return function.__globals__ is e.closures.names_of_loop and not is_free


def holds_made(e: Emitter, type_: Any) -> bool:
    """Whether a value is a function that a call has made, or a tuple with one: it is none that the
    program can have after the call.
    """
    if isinstance(type_, TupleType | UnrolledList):
        return any(holds_made(e, item) for item in type_.items)
    return isinstance(type_, ObjectType) and id(type_.value) in e.closures.makers


def is_plain(node: ast.FunctionDef | ast.Lambda, around: CodeType) -> bool:
    """Whether a definition calls no decorators, and evaluates no annotations but builtins."""
    if isinstance(node, ast.Lambda):
        return True
    return not node.decorator_list and (
        bool(around.co_flags & FUTURE_ANNOTATIONS)
        or all(
            annotation is None
            or isinstance(annotation, ast.Constant)
            or (isinstance(annotation, ast.Name) and hasattr(builtins, annotation.id))
            for annotation in annotations_of(node)
        )
    )


def variable_of_default(code: CodeType, parameter: str) -> str:
    """The variable that a default is kept in, where the function is made; no name of a program."""
    return f"{parameter}={code.co_firstlineno}"


def call_of_maker(e: Emitter, function: FunctionType) -> Call | None:
    """The call that has made a function; `None` of those that the program made."""
    prefix = e.closures.makers.get(id(function))
    return next((call for call in e.calls if call.prefix == prefix), None) if prefix else None


def variable(e: Emitter, maker: Call, name: str) -> Value | None:
    """A variable of the call that has made the function whose body is compiled, as it is now."""
    at = next(i for i, call in enumerate(e.calls) if call is maker)
    here = e.state, e.prefix
    # While a function that it calls runs, a call's variables are as they were before.
    is_inside = at + 1 < len(e.calls)
    e.state = e.calls[at + 1].callers_state if is_inside else e.state
    e.prefix = maker.prefix
    try:
        return e.read(name)
    finally:
        e.state, e.prefix = here
