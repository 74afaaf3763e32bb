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
    known = type(f) is ndarray and edge_order in (1, 2) and f.dtype.kind in "fiuc"
    steps: list[Any] | None = None
    if known:
        axes = tuple(range(f.ndim)) if axis is None else normalize_axis_tuple(axis, f.ndim)
        steps = _steps(f, axes, varargs, edge_order)
    if steps is None:
        return call(_np.gradient, (f, *varargs), {"axis": axis, "edge_order": edge_order})
    if f.dtype.kind in "iu":
        f = f.astype(_np.float64)
    if any(f.shape[at] < edge_order + 1 for at in axes):
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, "
            "at least (edge_order + 1) elements are required."
        )
    slopes = [_slope(f, at, step, edge_order) for at, step in zip(axes, steps, strict=True)]
    return slopes[0] if len(slopes) == 1 else tuple(slopes)


def _steps(f: Any, axes: tuple[int, ...], given: Any, edge_order: int) -> list[Any] | None:
    """The step along each axis, or the steps between neighbours, a vector of which not all are the
    same; None for what is left to NumPy.
    """
    steps: list[Any] = []
    for at, step in enumerate(given):
        if type(step) in (int, float) or isinstance(step, _np.floating):
            steps.append(step)
            continue
        # The formula for the edges of the second order differs with such steps.
        is_vector = type(step) is ndarray and step.ndim == 1 and step.dtype.kind in "fiu"
        if not is_vector or edge_order != 1 or len(given) != len(axes):
            return None
        if step.size != f.shape[axes[at]] or step.size < 2:
            return None
        between = diff(step.astype(_np.float64) if step.dtype.kind in "iu" else step)
        steps.append(between[0] if (between == between[0]).all() else between)
    if len(given) <= 1:
        return (steps or [1.0]) * len(axes)
    if len(given) != len(axes):
        raise TypeError("invalid number of arguments")
    return steps


def _slope(f: Any, axis: int, step: Any, edge_order: int) -> Any:
    out = empty(f.shape, f.dtype)
    after, before = f[_at(axis, slice(2, None))], f[_at(axis, slice(None, -2))]
    first, last = step, step
    if type(step) is ndarray:
        first, last = step[0], step[-1]
        left, right = step[:-1], step[1:]
        both = left + right
        shape = [-1 if at == axis else 1 for at in range(f.ndim)]
        a, b, c = -right / (left * both), (right - left) / (left * right), left / (right * both)
        a, b, c = (weight.reshape(shape) for weight in (a, b, c))
        out[_at(axis, slice(1, -1))] = a * before + b * f[_at(axis, slice(1, -1))] + c * after
    else:
        out[_at(axis, slice(1, -1))] = (after - before) / (2.0 * step)
    if edge_order == 1:
        out[_at(axis, 0)] = (f[_at(axis, 1)] - f[_at(axis, 0)]) / first
        out[_at(axis, -1)] = (f[_at(axis, -1)] - f[_at(axis, -2)]) / last
        return out
    edges = ((0, (0, 1, 2), (-1.5, 2.0, -0.5)), (-1, (-3, -2, -1), (0.5, -2.0, 1.5)))
    for edge, indices, weights in edges:
        a, b, c = (weight / step for weight in weights)
        one, two, three = (f[_at(axis, i)] for i in indices)
        out[_at(axis, edge)] = a * one + b * two + c * three
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
