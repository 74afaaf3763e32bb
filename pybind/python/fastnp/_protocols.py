"""NEP 13 and NEP 18: what NumPy's own functions do when they are given an array of ours.

The extension forwards `ndarray.__array_ufunc__` and `ndarray.__array_function__` here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as _np

from fastnp._fallback import NOT_NATIVE, call, overridden
from fastnp._fastnp import UFUNCS, ndarray
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
    if ours is None or not _known(types):
        return implementation(func, types, args, kwargs)
    return ours(*args, **kwargs)


def _known(types: Iterable[type]) -> bool:
    """Whether all classes are ours or NumPy's."""
    return all(kind is ndarray or issubclass(kind, _np.ndarray) for kind in types)


def implementation(
    func: Callable[..., Any],
    types: Iterable[type],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Any:
    """Run NumPy's own `func` on views of our arrays, without asking any class."""
    if not isinstance(args, tuple):
        raise TypeError(f"args must be a tuple, got {type(args).__name__}.")
    if not isinstance(kwargs, dict):
        raise TypeError("kwargs must be a dict")
    if not _known(types):
        return NotImplemented
    # The implementation below the dispatch: an array the fallback did not find must not lead back
    # here for ever.
    original = getattr(func, "_implementation", func)
    return call(original, args, kwargs, func.__name__, NOT_NATIVE)


def array_ufunc(
    self: Any, func: _np.ufunc, method: str, inputs: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """Run our version of the ufunc `func`, or NumPy's own on views of our arrays."""
    if overridden((*inputs, *kwargs.get("out", ()))):
        return NotImplemented
    ours = UFUNCS.get(func.__name__)
    if ours is not None and getattr(_np, func.__name__, None) is func:
        return (ours if method == "__call__" else getattr(ours, method))(*inputs, **kwargs)
    return call(getattr(func, method), inputs, kwargs, func.__name__, NOT_NATIVE)
