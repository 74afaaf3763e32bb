"""numba: compiled functions may name this module, its submodules and its functions.

numba knows NumPy's by identity, and compiles code of its own for them. Where a compiled function
reads one of ours, from its globals, a closure or another module, numba is given NumPy's of the same
name. Source: `numba.core.interpreter`, `numba.core.typing.context`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from fastnp._interop.counterpart import numpys

__all__ = ["register"]


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
