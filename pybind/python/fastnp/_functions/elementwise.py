"""Elementwise functions outside the op table: those of two results, selection, clipping, rounding,
parts of complex numbers, polynomials.
"""

from __future__ import annotations

import math
import warnings
from functools import cache
from typing import Any

import numpy as _np

from fastnp import _fastnp
from fastnp._fallback.call import call, general_ufunc
from fastnp._fallback.registry import NATIVE, NoValue, dispatch_method, native
from fastnp._fallback.ufunc import foreign
from fastnp._fastnp import UFUNCS, ndarray
from fastnp._interpreter import recorded_warnings


def in_general(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of `divmod`, `modf`, `frexp` or `ldexp` that the extension's function leaves: all but
    of one array of ours, or two, or a number and one. That of `frexp` takes arguments besides.
    """
    original = getattr(_np, name)
    return general_ufunc(NATIVE[original], original, args, kwargs)


NATIVE[_np.divmod] = foreign(_np.divmod, _fastnp.divmod)
NATIVE[_np.frexp] = foreign(_np.frexp, _fastnp.frexp)
# NumPy's loops take 4.6 and 3 ns a number, a call of 10 less than our operations.
NATIVE[_np.ldexp] = foreign(_np.ldexp, _fastnp.ldexp, few=80)
NATIVE[_np.modf] = foreign(_np.modf, _fastnp.modf, few=250)


@native(_np.where)
def where(condition: Any, x: Any = NoValue, y: Any = NoValue, /) -> Any:
    if y is not NoValue:
        return _fastnp.where(condition, x, y)
    if x is not NoValue:
        raise ValueError("either both or neither of x and y should be given")
    if type(condition) is ndarray:
        return condition.nonzero()
    return call(_np.where, (condition,), {})


@native(_np.clip, few=0)
def clip(
    a: Any,
    a_min: Any = NoValue,
    a_max: Any = NoValue,
    out: Any = None,
    *,
    min: Any = NoValue,
    max: Any = NoValue,
    **kwargs: Any,
) -> Any:
    if min is NoValue and max is NoValue:
        if type(a) is ndarray and a_min is not NoValue and a_max is not NoValue:
            return a.clip(a_min, a_max, out, **kwargs)
        return call(_np.clip, (a, a_min, a_max, out), kwargs)
    if type(a) is ndarray and a_min is NoValue and a_max is NoValue:
        low = None if min is NoValue else min
        return a.clip(low, None if max is NoValue else max, out, **kwargs)
    named = {"a_min": a_min, "a_max": a_max, "min": min, "max": max}
    kwargs.update((name, value) for name, value in named.items() if value is not NoValue)
    return call(_np.clip, (a,), {"out": out, **kwargs})


@native(_np.round)
def round(a: Any, decimals: Any = 0, out: Any = None) -> Any:
    if type(a) is ndarray:
        return a.round(decimals, out)
    return dispatch_method(_np.round, "round", a, (decimals, out), {})


@native(_np.around)
def around(a: Any, decimals: Any = 0, out: Any = None) -> Any:
    if type(a) is ndarray:
        return a.round(decimals, out)
    return dispatch_method(_np.around, "round", a, (decimals, out), {})


# What NumPy warns of at every call: from 2.5 on, that `fix` is deprecated.
with recorded_warnings() as _of_fix:
    _np.fix(0.0)


@native(_np.fix)
def fix(x: Any, out: Any = None) -> Any:
    if type(x) is not ndarray:
        return call(_np.fix, (x, out), {})
    for message, category in _of_fix:
        warnings.warn(message, category, stacklevel=2)
    return UFUNCS["trunc"](x) if out is None else UFUNCS["trunc"](x, out=out)


@native(_np.real)
def real(val: Any) -> Any:
    return val.real if type(val) is ndarray else call(_np.real, (val,), {})


@native(_np.imag)
def imag(val: Any) -> Any:
    return val.imag if type(val) is ndarray else call(_np.imag, (val,), {})


@native(_np.angle, few=0)
def angle(z: Any, deg: bool = False) -> Any:
    if type(z) is not ndarray:
        return call(_np.angle, (z, deg), {})
    turn = UFUNCS["arctan2"](*((z.imag, z.real) if z.dtype.kind == "c" else (0, z)))
    return turn * (180 / math.pi) if deg else turn


@cache
def _largest(char: str) -> Any:
    """The largest finite number of a type."""
    return _np.finfo(char).max


@native(_np.nan_to_num, few=0)
def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    simple = all(value is None or type(value) in (int, float) for value in (nan, posinf, neginf))
    if type(x) is not ndarray or not copy or not simple or x.dtype.kind == "c" or x.ndim == 0:
        return call(_np.nan_to_num, (x, copy, nan, posinf, neginf), {})
    if x.dtype.kind != "f":
        return x.copy()
    scalar = x.dtype.type
    above = _largest(x.dtype.char) if posinf is None else scalar(posinf)
    below = -_largest(x.dtype.char) if neginf is None else scalar(neginf)
    result = _fastnp.where(UFUNCS["isnan"](x), scalar(nan), x)
    result = _fastnp.where(x == math.inf, above, result)
    return _fastnp.where(x == -math.inf, below, result)


@native(_np.sinc)
def sinc(x: Any) -> Any:
    if type(x) is not ndarray or x.dtype.kind not in "fiu":
        return call(_np.sinc, (x,), {})
    x = math.pi * x
    y = _fastnp.where(x, x, x.dtype.type(_np.finfo(x.dtype).eps))
    return UFUNCS["sin"](y) / y


def _infinite(original: Any, x: Any, out: Any, negative: bool) -> Any:
    if type(x) is not ndarray or x.dtype.kind != "f":
        return call(original, (x, out), {})
    limit = -math.inf if negative else math.inf
    return UFUNCS["equal"](x, limit) if out is None else UFUNCS["equal"](x, limit, out=out)


@native(_np.isposinf)
def isposinf(x: Any, out: Any = None) -> Any:
    return _infinite(_np.isposinf, x, out, False)


@native(_np.isneginf)
def isneginf(x: Any, out: Any = None) -> Any:
    return _infinite(_np.isneginf, x, out, True)


@native(_np.iscomplex)
def iscomplex(x: Any) -> Any:
    if type(x) is not ndarray:
        return call(_np.iscomplex, (x,), {})
    return x.imag != 0 if x.dtype.kind == "c" else _fastnp.zeros(x.shape, bool)[()]


@native(_np.real_if_close)
def real_if_close(a: Any, tol: Any = 100) -> Any:
    if type(a) is not ndarray or type(tol) not in (int, float):
        return call(_np.real_if_close, (a, tol), {})
    if a.dtype.kind != "c":
        return a
    most = _np.finfo(a.dtype).eps * tol if tol > 1 else tol
    return a.real if (abs(a.imag) < most).all() else a


@native(_np.asarray_chkfinite)
def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> Any:
    made = _fastnp.asarray(a, dtype, order=order)
    if type(made) is not ndarray:
        return call(_np.asarray_chkfinite, (a, dtype, order), {})
    if made.dtype.kind in "fc" and not UFUNCS["isfinite"](made).all():
        raise ValueError("array must not contain infs or NaNs")
    return made


@native(_np.polyval, few=30)
def polyval(p: Any, x: Any) -> Any:
    vector = (type(p) is ndarray and p.ndim == 1) or (type(p) is list and _numbers(p))
    if type(x) is not ndarray or not vector:
        return call(_np.polyval, (p, x), {})
    # Coefficients are NumPy scalars, as in NumPy: unlike Python's numbers they have a type, which
    # takes part in promotion.
    coefficients = _np.asarray(p)
    result = _fastnp.zeros_like(x)
    for coefficient in coefficients:
        result = result * x + coefficient
    return result


def _numbers(values: list[Any]) -> bool:
    return all(type(value) in (int, float) for value in values)
