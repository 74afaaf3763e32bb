"""Comparison of arrays, exact and with a tolerance; tests for real and complex types."""

from __future__ import annotations

import math
from typing import Any

import numpy as _np

from fastnp._fallback.call import call
from fastnp._fallback.registry import native
from fastnp._fastnp import UFUNCS, asanyarray, asarray, ndarray
from fastnp._state.errstate import errstate

_isnan = UFUNCS["isnan"]
_NUMBERS = (int, float, complex)


def _finite(tolerance: Any) -> bool:
    return type(tolerance) in (int, float) and math.isfinite(tolerance)


@native(_np.isclose)
def isclose(a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False) -> Any:
    x = a if isinstance(a, _NUMBERS) else asanyarray(a)
    y = b if isinstance(b, _NUMBERS) else asanyarray(b)
    native_args = type(a) is ndarray or type(b) is ndarray
    if not native_args or not _finite(rtol) or not _finite(atol) or _foreign(x) or _foreign(y):
        return call(_np.isclose, (a, b, rtol, atol, equal_nan), {})
    if type(y) is ndarray:
        if y.dtype.kind not in "fc":
            # The absolute value of the smallest integer overflows.
            y = y.astype(_np.result_type(y.dtype, 1.0))
    else:
        y = float(y) if isinstance(y, int) else y
    with errstate(invalid="ignore"):
        within = UFUNCS["less_equal"](abs(x - y), atol + rtol * abs(y))
        result = within & UFUNCS["isfinite"](y) | (x == y)
        if equal_nan:
            result |= _isnan(x) & _isnan(y)
    return result[()] if type(result) is ndarray and result.ndim == 0 else result


def _foreign(x: Any) -> bool:
    return not isinstance(x, _NUMBERS) and type(x) is not ndarray


@native(_np.allclose)
def allclose(
    a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False
) -> bool:
    if type(a) is not ndarray and type(b) is not ndarray:
        return call(_np.allclose, (a, b, rtol, atol, equal_nan), {})
    return bool(isclose(a, b, rtol, atol, equal_nan).all())


@native(_np.array_equal)
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    pair = _pair(a1, a2)
    if pair is None:
        return call(_np.array_equal, (a1, a2, equal_nan), {})
    x, y = pair
    if x.shape != y.shape:
        return False
    same = x == y
    if equal_nan:
        if x is y:
            return True
        same = same | (_isnan(x) & _isnan(y))
    return bool(same.all())


@native(_np.array_equiv)
def array_equiv(a1: Any, a2: Any) -> bool:
    pair = _pair(a1, a2)
    if pair is None:
        return call(_np.array_equiv, (a1, a2), {})
    x, y = pair
    if x.shape != y.shape:
        try:
            _np.broadcast_shapes(x.shape, y.shape)
        except ValueError:
            return False
    return bool((x == y).all())


def _pair(a: Any, b: Any) -> tuple[Any, Any] | None:
    """Both as arrays of ours, or None to fall back to NumPy."""
    if type(a) is not ndarray and type(b) is not ndarray:
        return None
    try:
        x, y = asarray(a), asarray(b)
    except Exception:  # NumPy returns False for objects that cannot be converted
        return None
    return (x, y) if type(x) is ndarray and type(y) is ndarray else None


@native(_np.iscomplexobj)
def iscomplexobj(x: Any) -> bool:
    return x.dtype.kind == "c" if type(x) is ndarray else _np.iscomplexobj(x)


@native(_np.isrealobj)
def isrealobj(x: Any) -> bool:
    return x.dtype.kind != "c" if type(x) is ndarray else _np.isrealobj(x)


@native(_np.isreal)
def isreal(x: Any) -> Any:
    return x.imag == 0 if type(x) is ndarray else call(_np.isreal, (x,), {})
