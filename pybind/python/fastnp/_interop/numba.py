"""numba: compiled functions may name this module, its submodules and its functions.

numba knows NumPy's by identity, and compiles code of its own for them. Where a compiled function
reads one of ours, from its globals, a closure or another module, numba is given NumPy's of the same
name. Source: `numba.core.interpreter`, `numba.core.typing.context`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

__all__ = ["numpys", "register"]


def register() -> None:
    """Have numba read NumPy's objects where it would find ours."""
    from numba.core.interpreter import Interpreter
    from numba.core.typing.context import BaseContext

    for name in ("get_global_value", "get_closure_value"):
        setattr(Interpreter, name, _translated(getattr(Interpreter, name)))

    resolve = BaseContext.resolve_value_type

    @wraps(resolve)
    def resolve_value_type(context: Any, value: Any) -> Any:
        return resolve(context, numpys(value))

    BaseContext.resolve_value_type = resolve_value_type


def _translated(read: Callable[..., Any]) -> Callable[..., Any]:
    """A method of the interpreter that reads a value, with NumPy's value in place of ours."""

    @wraps(read)
    def read_numpys(interpreter: Any, key: Any) -> Any:
        return numpys(read(interpreter, key))

    return read_numpys


def numpys(value: Any) -> Any:
    """NumPy's module, function or class where `value` is ours of that name, else the value."""
    if isinstance(value, ModuleType):
        package, _, rest = value.__name__.partition(".")
        if package != "fastnp":
            return value
        return sys.modules.get(f"numpy.{rest}" if rest else "numpy", value)
    module = getattr(value, "__module__", None)
    name = getattr(value, "__name__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        return value
    if module.partition(".")[0] != "fastnp":
        return value
    # What the extension implements, and ufuncs, are of the module itself.
    for place in (module, "fastnp"):
        ours = sys.modules.get(place)
        theirs = sys.modules.get("numpy" + place.removeprefix("fastnp"))
        if getattr(ours, name, None) is value and hasattr(theirs, name):
            return getattr(theirs, name)
    return value
