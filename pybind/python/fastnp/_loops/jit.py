"""`fastnp.jit`: a function whose loops run compiled."""

from __future__ import annotations

import ast
import functools
import inspect
import sys
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, TypeVar, overload

from fastnp._loops.rewrite import Unit, compile_tree
from fastnp._loops.source import defining, source_text
from fastnp._state import loops as _switch

__all__ = ["jit"]

_F = TypeVar("_F", bound=Callable[..., Any])
# Flags of `from __future__` statements, which a function keeps.
_FUTURE = 0x1FF0000
# A field of definitions since Python 3.12.
_NO_PARAMETERS: dict[str, Any] = {"type_params": []} if sys.version_info >= (3, 12) else {}


@overload
def jit(function: _F, /) -> _F: ...


@overload
def jit(*, strict: bool = False) -> Callable[[_F], _F]: ...


def jit(function: Any = None, /, *, strict: bool = False) -> Any:
    """Compile the loops of a function, each when it is first entered, for the types it meets.

    The result is a function with the same name, signature, defaults and closure. A loop that cannot
    be compiled runs in the interpreter, and `fastnp.explain(function)` says why; with `strict` it
    raises `fastnp.LoopError`, as does a compiled loop that is left before its end.

    >>> import fastnp as np
    >>> @np.jit
    ... def total(n):
    ...     s = 0
    ...     for i in range(n):
    ...         s += i
    ...     return s
    >>> total(10)
    45
    """
    if function is None:
        return functools.partial(_jit, strict=strict)
    return _jit(function, strict)


jit.__module__ = "fastnp"


def _jit(function: Any, strict: bool) -> Any:
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(_jit(function.__func__, strict))
    if not isinstance(function, FunctionType):
        kind = type(function).__name__
        raise TypeError(f"jit takes a function written in Python, not an object of type {kind}")
    if not _switch.enabled():
        return function
    code, unit = _compiled(function)
    for site in unit.sites:
        site.is_eager, site.is_strict = True, strict
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    made = FunctionType(
        code,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        tuple(cells[name] for name in code.co_freevars),
    )
    made.__kwdefaults__ = function.__kwdefaults__
    functools.update_wrapper(made, function)
    # `inspect.signature` would follow it, and pickle find two functions of one name.
    del made.__dict__["__wrapped__"]
    made.__dict__["_refused_loops"] = unit.refused
    return made


def _compiled(function: FunctionType) -> tuple[CodeType, Unit]:
    """The function's code with its loops rewritten. Decorators are compiled, so that lines are
    counted from the first, and not called.
    """
    old = function.__code__
    node = _source(function)
    body: list[ast.stmt] = [node]
    if "__class__" not in old.co_freevars:
        # Private names are those of the class around.
        around = function.__qualname__.split(".")[-2:-1]
        if around and around[0].isidentifier():
            body = [_class(around[0], body)]
    names = [ast.arg(name) for name in old.co_freevars]
    outer = ast.FunctionDef(
        name="closure",
        args=ast.arguments([], names, None, [], [], None, []),
        body=body,
        decorator_list=[],
        **_NO_PARAMETERS,
    )
    tree = ast.fix_missing_locations(ast.Module([outer], []))
    code, unit = compile_tree(tree, old.co_filename, old.co_flags & _FUTURE)
    found = _inner(code, old.co_name)
    assert found is not None
    for site in unit.sites:
        site.qualname = old.co_qualname if site.qualname == found.co_qualname else site.qualname
    return found.replace(co_qualname=old.co_qualname), unit


def _class(name: str, body: list[ast.stmt]) -> ast.ClassDef:
    return ast.ClassDef(
        name=name, bases=[], keywords=[], body=body, decorator_list=[], **_NO_PARAMETERS
    )


def _inner(code: CodeType, name: str) -> CodeType | None:
    """The code of the function of that name, the outermost."""
    inside = [value for value in code.co_consts if isinstance(value, CodeType)]
    for value in inside:
        if value.co_name == name and value.co_flags & inspect.CO_OPTIMIZED:
            return value
    return next((found for value in inside if (found := _inner(value, name))), None)


def _source(function: FunctionType) -> Any:
    """The statement that defines a function, in a tree of its own, which may be changed."""
    try:
        tree = ast.parse(source_text(function))
        node = defining(function, tree)
    except (OSError, SyntaxError, TypeError) as error:
        message = f"jit needs the source of {function.__qualname__}, which is not there: {error}"
        raise OSError(message) from None
    if isinstance(node, ast.Lambda):
        raise TypeError("jit takes a function defined by `def`, not a lambda")
    return node
