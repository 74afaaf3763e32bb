"""Reductions that ignore nan: a select, which fuses with the reduction behind it.

What is left to NumPy (`NotImplemented`), and a slice of nan only, gives NumPy's warning at the
user's line.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as _np

from fastnp._fallback.registry import NoValue, given, native
from fastnp._fastnp import UFUNCS, ndarray
from fastnp._fastnp import where as _where
from fastnp._state import ledger

_isnan = UFUNCS["isnan"]


def _warn(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=ledger.user_frame(2)[1])


_Function = Callable[..., Any]


def _without_nan(a: Any, replacement: int) -> Any:
    return _where(_isnan(a), a.dtype.type(replacement), a) if a.dtype.kind in "fc" else a


def _nansum_or_nanprod(original: _Function, method: str, neutral: int) -> _Function:
    def function(
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
            return NotImplemented
        return getattr(_without_nan(a, neutral), method)(axis, dtype, out, **extra)

    return function


def _nancumsum_or_nancumprod(original: _Function, method: str, neutral: int) -> _Function:
    def function(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        if type(a) is not ndarray:
            return NotImplemented
        return getattr(_without_nan(a, neutral), method)(axis, dtype, out)

    return function


def _nanvar_or_nanstd(original: _Function, root: bool) -> _Function:
    def function(
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
        variance = _variance(a, axis, dtype, out, ddof, extra)
        if variance is None:
            return NotImplemented
        return UFUNCS["sqrt"](variance) if root else variance

    return function


def _variance(a: Any, axis: Any, dtype: Any, out: Any, ddof: Any, extra: dict[str, Any]) -> Any:
    """The variance of the elements that are not nan; None to fall back to NumPy, for slices with
    too few of them and for other types and arguments.
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
    deviation = _where(missing, zero, a - mean)
    divisor = present.sum(axis, _np.intp, **extra) - ddof
    return divide((deviation * deviation).sum(axis, **extra), divisor, dtype=a.dtype)


def _nanmin_or_nanmax(original: _Function, ufunc: str) -> _Function:
    reduction = UFUNCS[ufunc].reduce

    def function(
        a: Any,
        axis: Any = None,
        out: Any = None,
        keepdims: Any = NoValue,
        initial: Any = NoValue,
        where: Any = NoValue,
    ) -> Any:
        extra = given(keepdims=keepdims, initial=initial, where=where)
        if type(a) is not ndarray or a.dtype.kind != "f" or a.size == 0:
            return NotImplemented
        result = reduction(a, axis=axis, out=out, **extra)
        if _isnan(result).any():
            _warn("All-NaN slice encountered")
        return result

    return function


native(_np.nansum, few=0)(_nansum_or_nanprod(_np.nansum, "sum", 0))
native(_np.nanprod, few=0)(_nansum_or_nanprod(_np.nanprod, "prod", 1))
native(_np.nancumsum, few=0)(_nancumsum_or_nancumprod(_np.nancumsum, "cumsum", 0))
native(_np.nancumprod, few=0)(_nancumsum_or_nancumprod(_np.nancumprod, "cumprod", 1))
native(_np.nanvar, few=0)(_nanvar_or_nanstd(_np.nanvar, False))
native(_np.nanstd, few=0)(_nanvar_or_nanstd(_np.nanstd, True))
native(_np.nanmin, few=0)(_nanmin_or_nanmax(_np.nanmin, "fmin"))
native(_np.nanmax, few=0)(_nanmin_or_nanmax(_np.nanmax, "fmax"))


@native(_np.nanmean, few=0)
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
        return NotImplemented
    missing = _isnan(a)
    count = (~missing).sum(axis, _np.intp, **extra)
    total = _where(missing, a.dtype.type(0), a).sum(axis, **extra)
    empty = count == 0
    if not empty.any():
        return UFUNCS["divide"](total, count, dtype=a.dtype)
    # NumPy divides without floating-point warnings and warns once itself.
    return NotImplemented


def _nanargmin_or_nanargmax(original: _Function, method: str, replacement: float) -> _Function:
    def function(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = NoValue) -> Any:
        extra = given(keepdims=keepdims)
        if type(a) is not ndarray or a.dtype.kind not in "fiub" or a.size == 0:
            return NotImplemented
        if a.dtype.kind == "f":
            missing = _isnan(a)
            if missing.all(axis).any():
                return NotImplemented
            a = _where(missing, a.dtype.type(replacement), a)
        return getattr(a, method)(axis, out, **extra)

    return function


native(_np.nanargmin, few=0)(_nanargmin_or_nanargmax(_np.nanargmin, "argmin", _np.inf))
native(_np.nanargmax, few=0)(_nanargmin_or_nanargmax(_np.nanargmax, "argmax", -_np.inf))
