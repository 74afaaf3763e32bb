"""NEP 13 and NEP 18: what NumPy's own functions do when they are given an array of ours.

The extension forwards `ndarray.__array_ufunc__` and `ndarray.__array_function__` here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as _np

from fastnp._fallback import NOT_NATIVE, call
from fastnp._fastnp import UFUNCS, ndarray
from fastnp._override import overridden
from fastnp._registry import NATIVE

__all__ = ["array_function", "array_ufunc"]


def array_function(
    func: Callable[..., Any],
    types: Iterable[type],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Any:
    """Run our version of NumPy's `func`, or NumPy's own on views of our arrays."""
    if not isinstance(args, tuple):
        raise TypeError("args must be a tuple.")
    if not isinstance(kwargs, dict):
        raise TypeError("kwargs must be a dict.")
    for kind in types:
        if not issubclass(kind, (ndarray, _np.ndarray)):
            return NotImplemented
    ours = NATIVE.get(func)
    if ours is None and (getattr(func, "__module__", None) or "").startswith("fastnp"):
        # A class of the user's hands on what it was given.
        ours = func
    if ours is not None:
        return ours(*args, **kwargs)
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
