"""Finite differences along an axis: differences, gradients, trapezoidal integration."""

from __future__ import annotations

from typing import Any

import numpy as _np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from fastnp import _fastnp
from fastnp._fallback.call import call
from fastnp._fallback.registry import NoValue, given, native
from fastnp._fastnp import UFUNCS, asanyarray, concatenate, empty, ndarray, where

_ALL = slice(None)


def _at(axis: int, index: Any) -> tuple[Any, ...]:
    """The index that selects `index` on an axis, and everything on the axes before it."""
    return (*(_ALL,) * axis, index)


# The types that the argument `discont` of `unwrap` may have.
_DISCONTINUITIES = (type(None), int, float)


@native(_np.diff, few=0)
def diff(a: Any, n: Any = 1, axis: Any = -1, prepend: Any = NoValue, append: Any = NoValue) -> Any:
    plain = type(a) is ndarray and type(n) is int and prepend is append is NoValue
    if plain and n == 1 and axis == -1 and a.ndim == 1 and a.dtype.char != "?":
        # The common call, without what others need: that takes as long on few elements.
        return a[1:] - a[:-1]
    if type(n) is int and n == 0:
        return a
    if type(a) is not ndarray or type(n) is not int or n < 0 or a.ndim == 0:
        plain = prepend is append is NoValue
        return call(_np.diff, (a, n, axis), {} if plain else given(prepend=prepend, append=append))
    axis = normalize_axis_index(axis, a.ndim)
    parts = [a if part is a else _border(part, a, axis) for part in (prepend, a, append)]
    parts = [part for part in parts if part is not NoValue]
    if not all(type(part) is ndarray for part in parts):
        return call(_np.diff, (a, n, axis), given(prepend=prepend, append=append))
    if len(parts) > 1:
        a = concatenate(parts, axis)
    operation = UFUNCS["not_equal" if a.dtype.char == "?" else "subtract"]
    after, before = _at(axis, slice(1, None)), _at(axis, slice(None, -1))
    for _ in range(n):
        a = operation(a[after], a[before])
    return a


@native(_np.ediff1d)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    if type(ary) is not ndarray or to_end is not None or to_begin is not None:
        return call(_np.ediff1d, (ary, to_end, to_begin), {})
    if ary.dtype.char == "?":
        return call(_np.ediff1d, (ary,), {})
    flat = ary.ravel()
    return flat[1:] - flat[:-1]


def _border(value: Any, a: Any, axis: int) -> Any:
    if value is NoValue:
        return value
    border = asanyarray(value)
    if type(border) is ndarray and border.ndim == 0:
        return _fastnp.broadcast_to(border, (*a.shape[:axis], 1, *a.shape[axis + 1 :]))
    return border


@native(_np.gradient)
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    scalar = all(type(step) in (int, float) or isinstance(step, _np.floating) for step in varargs)
    known = type(f) is ndarray and edge_order in (1, 2) and f.dtype.kind in "fiuc"
    if not scalar or not known:
        return call(_np.gradient, (f, *varargs), {"axis": axis, "edge_order": edge_order})
    axes = tuple(range(f.ndim)) if axis is None else normalize_axis_tuple(axis, f.ndim)
    steps = varargs if varargs else (1.0,)
    if len(steps) == 1:
        steps = steps * len(axes)
    if len(steps) != len(axes):
        raise TypeError("invalid number of arguments")
    if f.dtype.kind in "iu":
        f = f.astype(_np.float64)
    if any(f.shape[at] < edge_order + 1 for at in axes):
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, "
            "at least (edge_order + 1) elements are required."
        )
    slopes = [_slope(f, at, step, edge_order) for at, step in zip(axes, steps, strict=True)]
    return slopes[0] if len(slopes) == 1 else tuple(slopes)


def _slope(f: Any, axis: int, step: Any, edge_order: int) -> Any:
    out = empty(f.shape, f.dtype)
    after, before = f[_at(axis, slice(2, None))], f[_at(axis, slice(None, -2))]
    out[_at(axis, slice(1, -1))] = (after - before) / (2.0 * step)
    if edge_order == 1:
        out[_at(axis, 0)] = (f[_at(axis, 1)] - f[_at(axis, 0)]) / step
        out[_at(axis, -1)] = (f[_at(axis, -1)] - f[_at(axis, -2)]) / step
        return out
    edges = ((0, (0, 1, 2), (-1.5, 2.0, -0.5)), (-1, (-3, -2, -1), (0.5, -2.0, 1.5)))
    for edge, indices, weights in edges:
        a, b, c = (weight / step for weight in weights)
        first, second, third = (f[_at(axis, i)] for i in indices)
        out[_at(axis, edge)] = a * first + b * second + c * third
    return out


@native(_np.trapezoid, few=0)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    if type(y) is not ndarray or (x is not None and type(x) is not ndarray) or y.ndim == 0:
        return call(_np.trapezoid, (y, x, dx, axis), {})
    at = normalize_axis_index(axis, y.ndim)
    step = dx
    if x is not None:
        if x.ndim == 1:
            step = diff(x).reshape([-1 if i == at else 1 for i in range(y.ndim)])
        else:
            step = diff(x, axis=axis)
    both = y[_at(at, slice(1, None))] + y[_at(at, slice(None, -1))]
    return (step * both / 2.0).sum(axis)


@native(_np.unwrap)
def unwrap(p: Any, discont: Any = None, axis: Any = -1, *, period: Any = 2 * _np.pi) -> Any:
    plain = type(axis) is int and type(period) in (int, float) and type(discont) in _DISCONTINUITIES
    known = type(p) is ndarray and p.dtype.kind in "fiu" and plain
    if not known or not -p.ndim <= axis < p.ndim:
        return call(_np.unwrap, (p, discont, axis), {"period": period})
    steps = diff(p, axis=axis)
    dtype = _np.result_type(steps.dtype, period)
    high, is_ambiguous = period / 2, True
    if dtype.kind in "iu":
        high, rest = divmod(period, 2)
        is_ambiguous = rest == 0
    within = UFUNCS["remainder"](steps + high, period) - high
    if is_ambiguous:
        # A step of half a period keeps its sign.
        within = where((within == -high) & (steps > 0), high, within)
    least = period / 2 if discont is None else discont
    correction = where(abs(steps) < least, 0, within - steps)
    result = p.astype(dtype)
    after = (*(slice(None),) * (axis % p.ndim), slice(1, None))
    result[after] = p[after] + correction.cumsum(axis)
    return result
