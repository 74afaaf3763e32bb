"""Functions that only ask for types, or only name a method of the array."""

from __future__ import annotations

from typing import Any

import numpy as _np

from fastnp._fallback import call, closed, opened
from fastnp._fastnp import ndarray
from fastnp._registry import elsewhere, native


def _types(values: tuple[Any, ...]) -> list[Any]:
    # Under NEP 50 an array, also one of no dimensions, promotes as its dtype does.
    return [value.dtype if type(value) is ndarray else value for value in values]


@native(_np.result_type)
def result_type(*arrays_and_dtypes: Any) -> Any:
    return _np.result_type(*_types(arrays_and_dtypes))


@native(_np.can_cast)
def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    return _np.can_cast(_types((from_,))[0], to, casting)


@native(_np.common_type)
def common_type(*arrays: Any) -> Any:
    return _np.common_type(*(_np.empty(0, x.dtype) if type(x) is ndarray else x for x in arrays))


def _called_back(function: Any) -> Any:
    """A user's function that NumPy calls: it sees arrays of ours and may return them."""

    def seen(*args: Any, **kwargs: Any) -> Any:
        ours = [closed(x, []) for x in args]
        plain, _, _ = opened((function(*ours, **kwargs),), {})
        return plain[0]

    return seen


@native(_np.apply_along_axis)
def apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    return call(_np.apply_along_axis, (_called_back(func1d), axis, arr, *args), kwargs)


@native(_np.apply_over_axes)
def apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    return call(_np.apply_over_axes, (_called_back(func), a, axes), {})


@native(_np.fromfunction)
def fromfunction(
    function: Any, shape: Any, *, dtype: Any = float, like: Any = None, **kwargs: Any
) -> Any:
    return call(_np.fromfunction, (_called_back(function), shape), {"dtype": dtype, **kwargs})


@native(_np.piecewise)
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    functions = [_called_back(f) if callable(f) else f for f in funclist]
    return call(_np.piecewise, (x, condlist, functions, *args), kw)


if hasattr(_np, "astype"):  # new in NumPy 2.1

    @native(_np.astype)
    def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
        if type(x) is ndarray and device in (None, "cpu"):
            return x.astype(dtype, copy=copy)
        if type(x) is list or type(x) is tuple:
            # Not taken for arrays here.
            return call(_np.astype, (x, dtype), {"copy": copy, "device": device})
        return elsewhere(_np.astype, "astype", x, (dtype,), {"copy": copy, "device": device})
