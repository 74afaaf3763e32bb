"""`ndarray.__array_ufunc__` and `ndarray.__array_function__` (NEP 13, NEP 18): NumPy's own
functions called on arrays of ours.

The extension forwards both methods to this file.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as _np

from fastnp._fallback import registry
from fastnp._fallback.call import NOT_NATIVE, call
from fastnp._fallback.override import dispatch_ufunc, expects_numpys, has_override
from fastnp._fallback.registry import native_of
from fastnp._fastnp import UFUNCS, ndarray, ufunc

__all__ = ["array_function", "array_ufunc", "implementation"]


def array_function(
    func: Callable[..., Any],
    types: Iterable[type],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Any:
    """Run the native version of NumPy's `func`, or NumPy's own on views of our arrays."""
    ours = native_of(func)
    if ours is None and _is_ours(func):
        # A user's class passes on the function that it was called with, which is ours.
        ours = func
    if ours is None or not _known(types):
        return implementation(func, types, args, kwargs)
    _checked(args, kwargs)
    return ours(*args, **kwargs)


def _is_ours(func: Callable[..., Any]) -> bool:
    return (getattr(func, "__module__", None) or "").startswith("fastnp")


def _known(types: Iterable[type]) -> bool:
    """Whether all classes are ours, NumPy's, or derived from NumPy's."""
    return all(kind is ndarray or issubclass(kind, _np.ndarray) for kind in types)


def _checked(args: Any, kwargs: Any) -> None:
    if not isinstance(args, tuple):
        raise TypeError("args must be a tuple.")
    if not isinstance(kwargs, dict):
        raise TypeError("kwargs must be a dict.")


def implementation(
    func: Callable[..., Any],
    types: Iterable[type],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Any:
    """Run NumPy's own `func` on views of our arrays, without dispatch to any class."""
    _checked(args, kwargs)
    if not _known(types):
        return NotImplemented
    if _is_ours(func):
        home = "numpy" + func.__module__.removeprefix("fastnp")
        func = getattr(sys.modules.get(home, _np), func.__name__)
    # `_implementation` skips NumPy's dispatch, which would recurse endlessly on an array of ours
    # that the fallback did not find among the arguments.
    original = getattr(func, "_implementation", func)
    return call(original, args, kwargs, func.__name__, NOT_NATIVE)


def native_ufuncs() -> list[_np.ufunc]:
    """NumPy's ufuncs that have a version of ours."""
    return [*(getattr(_np, name) for name in UFUNCS), *registry.native_ufuncs()]


def array_ufunc(
    self: Any, func: Any, method: str, inputs: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """Run our version of the ufunc `func`, or NumPy's own on views of our arrays."""
    ours: Any = func
    if isinstance(func, _np.ufunc) or not isinstance(func, ufunc):
        # Called by NumPy, or by a class that was called with NumPy's ufunc. Other libraries have
        # ufuncs of their own, also of other types.
        name = getattr(func, "__name__", "")
        known = getattr(_np, name, None) is func
        ours = (UFUNCS.get(name) or native_of(func)) if known else None
    if has_override(func, inputs, kwargs):
        if type(self) is ndarray and expects_numpys(inputs, kwargs):
            # The class may have refused our arrays, which it would hand on to NumPy.
            return dispatch_ufunc(func if ours is None else ours, func, method, inputs, kwargs)
        return NotImplemented
    if ours is None:
        run = func if method == "__call__" else getattr(func, method)
        return call(run, inputs, kwargs, name, NOT_NATIVE)
    return (ours if method == "__call__" else getattr(ours, method))(*inputs, **kwargs)
