"""Reductions and scans: NumPy's functions as methods of the array.

Each takes the method when its argument is our array; anything else (lists, NumPy's subclasses) is
NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as _np

from fastnp._fallback import call
from fastnp._fastnp import UFUNCS, count_true, ndarray
from fastnp._registry import NoValue, elsewhere, given, native


@native(_np.sum)
def sum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = NoValue,
    initial: Any = NoValue,
    where: Any = NoValue,
) -> Any:
    if keepdims is initial is where is NoValue:
        if type(a) is ndarray:
            return a.sum(axis, dtype, out)
        return elsewhere(_np.sum, "sum", a, (axis, dtype, out), {})
    extra = given(keepdims=keepdims, initial=initial, where=where)
    return elsewhere(_np.sum, "sum", a, (axis, dtype, out), extra)


@native(_np.prod)
def prod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = NoValue,
    initial: Any = NoValue,
    where: Any = NoValue,
) -> Any:
    if keepdims is initial is where is NoValue:
        if type(a) is ndarray:
            return a.prod(axis, dtype, out)
        return elsewhere(_np.prod, "prod", a, (axis, dtype, out), {})
    extra = given(keepdims=keepdims, initial=initial, where=where)
    return elsewhere(_np.prod, "prod", a, (axis, dtype, out), extra)


@native(_np.min)
def min(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = NoValue,
    initial: Any = NoValue,
    where: Any = NoValue,
) -> Any:
    if keepdims is initial is where is NoValue:
        if type(a) is ndarray:
            return a.min(axis, out)
        return elsewhere(_np.min, "min", a, (axis, out), {})
    extra = given(keepdims=keepdims, initial=initial, where=where)
    return elsewhere(_np.min, "min", a, (axis, out), extra)


@native(_np.max)
def max(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = NoValue,
    initial: Any = NoValue,
    where: Any = NoValue,
) -> Any:
    if keepdims is initial is where is NoValue:
        if type(a) is ndarray:
            return a.max(axis, out)
        return elsewhere(_np.max, "max", a, (axis, out), {})
    extra = given(keepdims=keepdims, initial=initial, where=where)
    return elsewhere(_np.max, "max", a, (axis, out), extra)


@native(_np.amin)
def amin(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = NoValue,
    initial: Any = NoValue,
    where: Any = NoValue,
) -> Any:
    if keepdims is initial is where is NoValue:
        if type(a) is ndarray:
            return a.min(axis, out)
        return elsewhere(_np.amin, "min", a, (axis, out), {})
    extra = given(keepdims=keepdims, initial=initial, where=where)
    return elsewhere(_np.amin, "min", a, (axis, out), extra)


@native(_np.amax)
def amax(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = NoValue,
    initial: Any = NoValue,
    where: Any = NoValue,
) -> Any:
    if keepdims is initial is where is NoValue:
        if type(a) is ndarray:
            return a.max(axis, out)
        return elsewhere(_np.amax, "max", a, (axis, out), {})
    extra = given(keepdims=keepdims, initial=initial, where=where)
    return elsewhere(_np.amax, "max", a, (axis, out), extra)


@native(_np.any)
def any(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = NoValue, *, where: Any = NoValue
) -> Any:
    if type(a) is ndarray and out is None and keepdims is where is NoValue:
        return a.any(axis)
    # NumPy's method takes a dtype before out, which it does not say; by name both agree.
    extra = given(keepdims=keepdims, where=where)
    return elsewhere(_np.any, "any", a, (), {"axis": axis, "out": out, **extra})


@native(_np.all)
def all(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = NoValue, *, where: Any = NoValue
) -> Any:
    if type(a) is ndarray and out is None and keepdims is where is NoValue:
        return a.all(axis)
    # NumPy's method takes a dtype before out, which it does not say; by name both agree.
    extra = given(keepdims=keepdims, where=where)
    return elsewhere(_np.all, "all", a, (), {"axis": axis, "out": out, **extra})


@native(_np.mean)
def mean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = NoValue,
    *,
    where: Any = NoValue,
) -> Any:
    if type(a) is ndarray and keepdims is where is NoValue:
        return a.mean(axis, dtype, out)
    extra = given(keepdims=keepdims, where=where)
    return elsewhere(_np.mean, "mean", a, (axis, dtype, out), extra)


def _spread(
    original: Callable[..., Any],
    a: Any,
    axis: Any,
    dtype: Any,
    out: Any,
    ddof: Any,
    correction: Any,
    extra: dict[str, Any],
) -> Any:
    """`std` or `var` with what only they take; `correction` is another name of `ddof`."""
    if correction is not NoValue and ddof == 0:
        ddof, correction = correction, NoValue
    if correction is NoValue:
        return elsewhere(original, original.__name__, a, (axis, dtype, out, ddof), extra)
    # NumPy's words for both names at once.
    return call(original, (a, axis, dtype, out, ddof), {**extra, "correction": correction})


@native(_np.std)
def std(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = NoValue,
    *,
    where: Any = NoValue,
    mean: Any = NoValue,
    correction: Any = NoValue,
) -> Any:
    if type(a) is ndarray and keepdims is where is mean is correction is NoValue:
        return a.std(axis, dtype, out, ddof)
    extra = given(keepdims=keepdims, where=where, mean=mean)
    return _spread(_np.std, a, axis, dtype, out, ddof, correction, extra)


@native(_np.var)
def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = NoValue,
    *,
    where: Any = NoValue,
    mean: Any = NoValue,
    correction: Any = NoValue,
) -> Any:
    if type(a) is ndarray and keepdims is where is mean is correction is NoValue:
        return a.var(axis, dtype, out, ddof)
    extra = given(keepdims=keepdims, where=where, mean=mean)
    return _spread(_np.var, a, axis, dtype, out, ddof, correction, extra)


@native(_np.argmin)
def argmin(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = NoValue) -> Any:
    if type(a) is ndarray and keepdims is NoValue:
        return a.argmin(axis, out)
    return elsewhere(_np.argmin, "argmin", a, (axis, out), given(keepdims=keepdims))


@native(_np.argmax)
def argmax(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = NoValue) -> Any:
    if type(a) is ndarray and keepdims is NoValue:
        return a.argmax(axis, out)
    return elsewhere(_np.argmax, "argmax", a, (axis, out), given(keepdims=keepdims))


@native(_np.cumsum)
def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    if type(a) is ndarray:
        return a.cumsum(axis, dtype, out)
    return elsewhere(_np.cumsum, "cumsum", a, (axis, dtype, out), {})


@native(_np.cumprod)
def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    if type(a) is ndarray:
        return a.cumprod(axis, dtype, out)
    return elsewhere(_np.cumprod, "cumprod", a, (axis, dtype, out), {})


def _cumulative(
    original: Any, method: str, x: Any, axis: Any, dtype: Any, out: Any, include_initial: Any
) -> Any:
    if (
        type(x) is ndarray
        and not include_initial
        and (x.ndim == 1 or (x.ndim and axis is not None))
    ):
        return getattr(x, method)(0 if axis is None else axis, dtype, out)
    named = {"axis": axis, "dtype": dtype, "out": out, "include_initial": include_initial}
    return call(original, (x,), named)


@native(_np.cumulative_sum)
def cumulative_sum(
    x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: Any = False
) -> Any:
    return _cumulative(_np.cumulative_sum, "cumsum", x, axis, dtype, out, include_initial)


@native(_np.cumulative_prod)
def cumulative_prod(
    x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: Any = False
) -> Any:
    return _cumulative(_np.cumulative_prod, "cumprod", x, axis, dtype, out, include_initial)


_COUNT = type(_np.count_nonzero(()))


@native(_np.count_nonzero)
def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    if type(a) is not ndarray:
        return call(_np.count_nonzero, (a, axis), {"keepdims": keepdims})
    true = a if a.dtype.char == "?" else a != 0
    if axis is None and not keepdims:
        # Of an array without axes the comparison is a number. NumPy gives one type or the other, by
        # its version, and scalars or arrays of intp elsewhere.
        return _COUNT(count_true(true) if type(true) is ndarray else true)
    return true.sum(axis, _np.intp, keepdims=keepdims)


@native(_np.ptp)
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = NoValue) -> Any:
    if type(a) is not ndarray:
        return call(_np.ptp, (a, axis, out), given(keepdims=keepdims))
    extra = given(keepdims=keepdims)
    return UFUNCS["subtract"](a.max(axis, **extra), a.min(axis, **extra), out)


@native(_np.average)
def average(
    a: Any,
    axis: Any = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: Any = NoValue,
) -> Any:
    extra = given(keepdims=keepdims)
    if type(a) is ndarray and not returned:
        if weights is None:
            return a.mean(axis, **extra)
        if type(weights) is ndarray and weights.shape == a.shape:
            return _weighted(a, axis, weights, extra)
    return call(_np.average, (a, axis, weights, returned), extra)


def _weighted(a: Any, axis: Any, weights: Any, extra: dict[str, Any]) -> Any:
    if a.dtype.kind in "biu":
        dtype = _np.result_type(a.dtype, weights.dtype, "f8")
    else:
        dtype = _np.result_type(a.dtype, weights.dtype)
    scale = weights.sum(axis, dtype, **extra)
    if (scale == 0.0).any():
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return UFUNCS["multiply"](a, weights, dtype=dtype).sum(axis, **extra) / scale
