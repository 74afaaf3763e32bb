"""NEP 13 and NEP 18: what NumPy's own functions do when they are given an array of ours.

The extension forwards `ndarray.__array_ufunc__` and `ndarray.__array_function__` here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as _np

from fastnp._fallback import NOT_NATIVE, call
from fastnp._fastnp import UFUNCS, ndarray
from fastnp._override import overridden
from fastnp._registry import NATIVE

__all__ = ["array_function", "array_ufunc", "implementation"]


def array_function(
    func: Callable[..., Any],
    types: Iterable[type],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Any:
    """Run our version of NumPy's `func`, or NumPy's own on views of our arrays."""
    ours = NATIVE.get(func)
    if ours is None and getattr(func, "__module__", None) == "numpy.fft":
        # Which NumPy does not import by itself, so that neither do we.
        import_module("fastnp._transforms")
        ours = NATIVE.get(func)
    if ours is None and _is_ours(func):
        # A class of the user's hands on what it was given.
        ours = func
    if ours is None or not _known(types):
        return implementation(func, types, args, kwargs)
    _checked(args, kwargs)
    return ours(*args, **kwargs)


def _is_ours(func: Callable[..., Any]) -> bool:
    return (getattr(func, "__module__", None) or "").startswith("fastnp")


def _known(types: Iterable[type]) -> bool:
    """Whether all classes are ours or NumPy's."""
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
    """Run NumPy's own `func` on views of our arrays, without asking any class."""
    _checked(args, kwargs)
    if not _known(types):
        return NotImplemented
    if _is_ours(func):
        home = "numpy" + func.__module__.removeprefix("fastnp")
        func = getattr(sys.modules.get(home, _np), func.__name__)
    # The implementation below the dispatch: an array the fallback did not find must not lead back
    # here for ever.
    original = getattr(func, "_implementation", func)
    return call(original, args, kwargs, func.__name__, NOT_NATIVE)


def array_ufunc(
    self: Any, func: _np.ufunc, method: str, inputs: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """Run our version of the ufunc `func`, or NumPy's own on views of our arrays."""
    if overridden(func, inputs, kwargs):
        return NotImplemented
    ours: Any = func
    if type(func) is _np.ufunc:
        # Called by NumPy, or by a class that was given its ufunc.
        ours = UFUNCS.get(func.__name__)
        if ours is None or getattr(_np, func.__name__, None) is not func:
            return call(getattr(func, method), inputs, kwargs, func.__name__, NOT_NATIVE)
    return (ours if method == "__call__" else getattr(ours, method))(*inputs, **kwargs)
