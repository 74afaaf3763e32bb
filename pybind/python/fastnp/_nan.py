"""Reductions that pass over nan: a select in front of the plain reduction, which fuses with it.

The slice that holds nothing but nan is NumPy's warning, at the user's line.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as _np

from fastnp import _ledger
from fastnp._fallback import call
from fastnp._fastnp import UFUNCS, ndarray
from fastnp._fastnp import where as _where
from fastnp._registry import NoValue, given, native

_isnan = UFUNCS["isnan"]


def _warn(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=_ledger.user_frame(2)[1])


@native(_np.nansum)
def nansum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = NoValue,
    initial: Any = NoValue,
    where: Any = NoValue,
) -> Any:
    extra = given(keepdims=keepdims, initial=initial, where=where)
    if type(a) is not ndarray:
        return call(_np.nansum, (a, axis, dtype, out), extra)
    values = _where(_isnan(a), a.dtype.type(0), a) if a.dtype.kind in "fc" else a
    return values.sum(axis, dtype, out, **extra)


@native(_np.nanprod)
def nanprod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = NoValue,
    initial: Any = NoValue,
    where: Any = NoValue,
) -> Any:
    extra = given(keepdims=keepdims, initial=initial, where=where)
    if type(a) is not ndarray:
        return call(_np.nanprod, (a, axis, dtype, out), extra)
    values = _where(_isnan(a), a.dtype.type(1), a) if a.dtype.kind in "fc" else a
    return values.prod(axis, dtype, out, **extra)


@native(_np.nanmean)
def nanmean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = NoValue,
    *,
    where: Any = NoValue,
) -> Any:
    extra = given(keepdims=keepdims, where=where)
    if type(a) is not ndarray or out is not None or dtype is not None or a.dtype.kind != "f":
        if type(a) is ndarray and a.dtype.kind in "biu":
            return a.mean(axis, dtype, out, **extra)
        return call(_np.nanmean, (a, axis, dtype, out), extra)
    missing = _isnan(a)
    count = (~missing).sum(axis, _np.intp, **extra)
    total = _where(missing, a.dtype.type(0), a).sum(axis, **extra)
    empty = count == 0
    if not empty.any():
        return UFUNCS["divide"](total, count, dtype=a.dtype)
    # NumPy divides by zero in silence and warns once.
    return call(_np.nanmean, (a, axis, dtype, out), extra)


@native(_np.nancumsum)
def nancumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    if type(a) is not ndarray:
        return call(_np.nancumsum, (a, axis, dtype, out), {})
    values = _where(_isnan(a), a.dtype.type(0), a) if a.dtype.kind in "fc" else a
    return values.cumsum(axis, dtype, out)


@native(_np.nancumprod)
def nancumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    if type(a) is not ndarray:
        return call(_np.nancumprod, (a, axis, dtype, out), {})
    values = _where(_isnan(a), a.dtype.type(1), a) if a.dtype.kind in "fc" else a
    return values.cumprod(axis, dtype, out)


def _spread(a: Any, axis: Any, dtype: Any, out: Any, ddof: Any, extra: dict[str, Any]) -> Any:
    """The variance of what is no nan; none where a slice has too little of it, or NumPy's rules for
    other types and arguments apply.
    """
    if dtype is not None or out is not None or extra.keys() - {"keepdims"}:
        return None
    if type(a) is not ndarray or a.dtype.char not in "fd" or type(ddof) is not int:
        return None
    missing = _isnan(a)
    present = ~missing
    count = present.sum(axis, _np.intp, keepdims=True)
    if a.ndim == 0 or (count <= max(ddof, 0)).any():
        return None
    zero = a.dtype.type(0)
    divide = UFUNCS["divide"]
    mean = divide(_where(missing, zero, a).sum(axis, keepdims=True), count, dtype=a.dtype)
    apart = _where(missing, zero, a - mean)
    free = present.sum(axis, _np.intp, **extra) - ddof
    return divide((apart * apart).sum(axis, **extra), free, dtype=a.dtype)


@native(_np.nanvar)
def nanvar(
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
    extra = given(keepdims=keepdims, where=where, mean=mean, correction=correction)
    result = _spread(a, axis, dtype, out, ddof, extra)
    if result is None:
        return call(_np.nanvar, (a, axis, dtype, out, ddof), extra)
    return result


@native(_np.nanstd)
def nanstd(
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
    extra = given(keepdims=keepdims, where=where, mean=mean, correction=correction)
    result = _spread(a, axis, dtype, out, ddof, extra)
    if result is None:
        return call(_np.nanstd, (a, axis, dtype, out, ddof), extra)
    return UFUNCS["sqrt"](result)


def _extreme(original: Any, ufunc: str, a: Any, axis: Any, out: Any, extra: dict[str, Any]) -> Any:
    if type(a) is not ndarray or a.dtype.kind != "f" or a.size == 0:
        return call(original, (a, axis, out), extra)
    result = UFUNCS[ufunc].reduce(a, axis=axis, out=out, **extra)
    if _isnan(result).any():
        _warn("All-NaN slice encountered")
    return result


@native(_np.nanmin)
def nanmin(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = NoValue,
    initial: Any = NoValue,
    where: Any = NoValue,
) -> Any:
    extra = given(keepdims=keepdims, initial=initial, where=where)
    return _extreme(_np.nanmin, "fmin", a, axis, out, extra)


@native(_np.nanmax)
def nanmax(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = NoValue,
    initial: Any = NoValue,
    where: Any = NoValue,
) -> Any:
    extra = given(keepdims=keepdims, initial=initial, where=where)
    return _extreme(_np.nanmax, "fmax", a, axis, out, extra)
