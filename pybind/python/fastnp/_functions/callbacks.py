"""Functions that call a user's function, which gets arrays of ours and may return them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as _np

from fastnp._fallback.call import call, from_views, to_views
from fastnp._fallback.registry import native
from fastnp._functions.creation import indices


def _with_our_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` as NumPy calls it: NumPy's arrays in and out, arrays of ours inside."""

    def callback(*args: Any, **kwargs: Any) -> Any:
        ours = [from_views(x, []) for x in args]
        plain, _, _ = to_views((function(*ours, **kwargs),), {})
        return plain[0]

    return callback


@native(_np.apply_along_axis)
def apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    return call(_np.apply_along_axis, (_with_our_arrays(func1d), axis, arr, *args), kwargs)


@native(_np.apply_over_axes)
def apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    return call(_np.apply_over_axes, (_with_our_arrays(func), a, axes), {})


@native(_np.fromfunction)
def fromfunction(
    function: Any, shape: Any, *, dtype: Any = float, like: Any = None, **kwargs: Any
) -> Any:
    if like is not None:
        kwargs |= {"dtype": dtype, "like": like}
        return call(_np.fromfunction, (_with_our_arrays(function), shape), kwargs)
    return function(*indices(shape, dtype=dtype), **kwargs)
