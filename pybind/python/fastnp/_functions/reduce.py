"""Reductions and scans: NumPy's functions that are methods of the array.

Functions of one signature are made by one factory, and the table behind it names them. Calls with
an array of ours and at most an axis and `keepdims` run in the extension and do not come here. The
fast path of each function, an array of ours and default keywords, calls the native method directly.
Everything else takes the slow path, `dispatch_method`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as _np

from fastnp._fallback.call import call
from fastnp._fallback.registry import NoValue, dispatch_method, given, native
from fastnp._fastnp import UFUNCS, count_true, ndarray

_Function = Callable[..., Any]


def _native_method(name: str) -> _Function:
    """The extension's method, called as fast as by attribute: `ndarray.name` would be a function in
    Python, which also takes objects of derived classes.
    """
    return vars(ndarray)[name]


def _sum_or_prod(original: _Function, name: str) -> _Function:
    method = _native_method(name)

    def function(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: Any = NoValue,
        initial: Any = NoValue,
        where: Any = NoValue,
    ) -> Any:
        if initial is where is NoValue:
            if type(a) is ndarray:
                if keepdims is NoValue:
                    return method(a, axis, dtype, out)
                return method(a, axis, dtype, out, keepdims)
            if keepdims is NoValue:
                return dispatch_method(original, name, a, (axis, dtype, out), {})
        extra = given(keepdims=keepdims, initial=initial, where=where)
        return dispatch_method(original, name, a, (axis, dtype, out), extra)

    return function


def _min_or_max(original: _Function, name: str) -> _Function:
    method = _native_method(name)

    def function(
        a: Any,
        axis: Any = None,
        out: Any = None,
        keepdims: Any = NoValue,
        initial: Any = NoValue,
        where: Any = NoValue,
    ) -> Any:
        if initial is where is NoValue:
            if type(a) is ndarray:
                if keepdims is NoValue:
                    return method(a, axis, out)
                return method(a, axis, out, keepdims)
            if keepdims is NoValue:
                return dispatch_method(original, name, a, (axis, out), {})
        extra = given(keepdims=keepdims, initial=initial, where=where)
        return dispatch_method(original, name, a, (axis, out), extra)

    return function


def _any_or_all(original: _Function, name: str) -> _Function:
    method = _native_method(name)

    def function(
        a: Any, axis: Any = None, out: Any = None, keepdims: Any = NoValue, *, where: Any = NoValue
    ) -> Any:
        if type(a) is ndarray and out is None and keepdims is where is NoValue:
            return method(a, axis)
        # By position NumPy's method takes a dtype before `out`, which is undocumented.
        extra = given(keepdims=keepdims, where=where)
        return dispatch_method(original, name, a, (), {"axis": axis, "out": out, **extra})

    return function


def _std_or_var(original: _Function, name: str) -> _Function:
    method = _native_method(name)

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
        if type(a) is ndarray and where is mean is correction is NoValue:
            if keepdims is NoValue:
                return method(a, axis, dtype, out, ddof)
            return method(a, axis, dtype, out, ddof, keepdims)
        extra = given(keepdims=keepdims, where=where, mean=mean)
        # `correction` is another name of `ddof`.
        if correction is not NoValue and ddof == 0:
            ddof, correction = correction, NoValue
        if correction is NoValue:
            return dispatch_method(original, name, a, (axis, dtype, out, ddof), extra)
        # NumPy raises the error for both names.
        return call(original, (a, axis, dtype, out, ddof), {**extra, "correction": correction})

    return function


def _argmin_or_argmax(original: _Function, name: str) -> _Function:
    method = _native_method(name)

    def function(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = NoValue) -> Any:
        if type(a) is ndarray and keepdims is NoValue:
            return method(a, axis, out)
        return dispatch_method(original, name, a, (axis, out), given(keepdims=keepdims))

    return function


def _cumsum_or_cumprod(original: _Function, name: str) -> _Function:
    method = _native_method(name)

    def function(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        if type(a) is ndarray:
            return method(a, axis, dtype, out)
        return dispatch_method(original, name, a, (axis, dtype, out), {})

    return function


# For each factory, NumPy's functions and the methods that they are.
_FACTORIES: dict[Callable[[_Function, str], _Function], dict[_Function, str]] = {
    _sum_or_prod: {_np.sum: "sum", _np.prod: "prod"},
    _min_or_max: {_np.min: "min", _np.max: "max", _np.amin: "min", _np.amax: "max"},
    _any_or_all: {_np.any: "any", _np.all: "all"},
    _std_or_var: {_np.std: "std", _np.var: "var"},
    _argmin_or_argmax: {_np.argmin: "argmin", _np.argmax: "argmax"},
    _cumsum_or_cumprod: {_np.cumsum: "cumsum", _np.cumprod: "cumprod"},
}

for _factory, _methods in _FACTORIES.items():
    for _original, _name in _methods.items():
        native(_original, few=0)(_factory(_original, _name))


@native(_np.mean, few=0)
def mean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = NoValue,
    *,
    where: Any = NoValue,
) -> Any:
    if type(a) is ndarray and where is NoValue:
        if keepdims is NoValue:
            return a.mean(axis, dtype, out)
        return a.mean(axis, dtype, out, keepdims)
    extra = given(keepdims=keepdims, where=where)
    return dispatch_method(_np.mean, "mean", a, (axis, dtype, out), extra)


def _cumulative(
    original: Any, method: str, x: Any, axis: Any, dtype: Any, out: Any, include_initial: Any
) -> Any:
    if (
        type(x) is ndarray
        and not include_initial
        and type(out) is not tuple
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


@native(_np.count_nonzero, few=4_000)
def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    if type(a) is not ndarray:
        return call(_np.count_nonzero, (a, axis), {"keepdims": keepdims})
    true = a if a.dtype.char == "?" else a != 0
    if axis is None and not keepdims:
        # The comparison of an array without axes is a scalar. The type of the count depends on
        # NumPy's version; with an axis it is intp.
        return _COUNT(count_true(true) if type(true) is ndarray else true)
    return true.sum(axis, _np.intp, keepdims=keepdims)


@native(_np.ptp, few=4_000)
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = NoValue) -> Any:
    if type(a) is not ndarray:
        return call(_np.ptp, (a, axis, out), given(keepdims=keepdims))
    extra = given(keepdims=keepdims)
    return UFUNCS["subtract"](a.max(axis, **extra), a.min(axis, **extra), out)


@native(_np.average, few=0)
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
        if type(axis) is int and not -a.ndim <= axis < a.ndim:
            return call(_np.average, (a, axis, weights), extra)  # NumPy's error
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
