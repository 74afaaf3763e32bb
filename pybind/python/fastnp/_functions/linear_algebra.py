"""Products, diagonals, triangular parts and norms, by matrix products and elementwise ufuncs."""

from __future__ import annotations

import math
from typing import Any

import numpy as _np
from numpy.lib.array_utils import normalize_axis_index

from fastnp._fallback.call import call
from fastnp._fallback.override import array_function_of
from fastnp._fallback.registry import NATIVE, dispatch_method, native
from fastnp._fallback.ufunc import foreign
from fastnp._fastnp import UFUNCS, asanyarray, asarray, dot, empty, matmul, ndarray, where, zeros
from fastnp._functions.creation import tri

NATIVE[_np.matmul] = foreign(_np.matmul, matmul)


def _pair(a: Any, b: Any, convert: Any = asarray) -> tuple[Any, Any] | None:
    """Both as arrays of ours, or None to fall back to NumPy. With `asanyarray` it is None also for
    objects of derived classes, whose class the result has.
    """
    if type(a) is not ndarray and type(b) is not ndarray:
        return None
    if type(a) is type(b):
        return a, b
    if array_function_of(a) is not None or array_function_of(b) is not None:
        return None
    x, y = convert(a), convert(b)
    return (x, y) if type(x) is ndarray and type(y) is ndarray else None


@native(_np.outer, few=0)
def outer(a: Any, b: Any, out: Any = None) -> Any:
    pair = _pair(a, b)
    if pair is None:
        return call(_np.outer, (a, b, out), {})
    x, y = pair
    column, row = x.ravel()[:, None], y.ravel()[None, :]
    return column * row if out is None else UFUNCS["multiply"](column, row, out=out)


def inner(a: Any, b: Any, /) -> Any:
    """What is no product of two vectors of ours, which the extension makes."""
    pair = _pair(a, b, asanyarray)
    if pair is None:
        return call(_np.inner, (a, b), {})
    x, y = pair
    if x.ndim == y.ndim == 1:
        return dot(x, y)
    if x.ndim == 0 or y.ndim == 0:
        return x * y
    if x.shape[-1] != y.shape[-1]:
        return call(_np.inner, (x, y), {})
    return dot(x, y if y.ndim == 1 else y.swapaxes(-1, -2))


def vdot(a: Any, b: Any, /) -> Any:
    """As `inner`."""
    pair = _pair(a, b)
    if pair is None:
        return call(_np.vdot, (a, b), {})
    x, y = pair
    if x.ndim != 1 or x.shape != y.shape:
        if x.size != y.size:
            return call(_np.vdot, (a, b), {})
        x, y = x.ravel(), y.ravel()
    return dot(x.conj() if x.dtype.kind == "c" else x, y)


@native(_np.kron)
def kron(a: Any, b: Any) -> Any:
    pair = _pair(a, b, asanyarray)
    if pair is None or pair[0].ndim == 0 or pair[1].ndim == 0:
        return call(_np.kron, (a, b), {})
    x, y = pair
    ndim = max(x.ndim, y.ndim)
    x, y = (z.reshape((1,) * (ndim - z.ndim) + z.shape) for z in pair)
    shape = [m * n for m, n in zip(x.shape, y.shape, strict=True)]
    # Each axis becomes two: the index in `a`, then the index in `b`.
    left = x.reshape([n for m in x.shape for n in (m, 1)])
    right = y.reshape([n for m in y.shape for n in (1, m)])
    return (left * right).reshape(shape)


def _axes(axes: Any) -> tuple[list[Any], list[Any]]:
    if not _np.iterable(axes):
        return list(range(-axes, 0)), list(range(axes))
    first, second = axes
    return (
        list(first) if _np.iterable(first) else [first],
        list(second) if _np.iterable(second) else [second],
    )


@native(_np.tensordot, few=4_000)
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    pair = _pair(a, b)
    if pair is None:
        return call(_np.tensordot, (a, b), {"axes": axes})
    x, y = pair
    over_x, over_y = _axes(axes)
    fits = len(over_x) == len(over_y) <= min(x.ndim, y.ndim) and all(
        -x.ndim <= i < x.ndim and -y.ndim <= j < y.ndim and x.shape[i] == y.shape[j]
        for i, j in zip(over_x, over_y, strict=True)
    )
    over_x = [i % x.ndim for i in over_x] if fits else []
    over_y = [j % y.ndim for j in over_y] if fits else []
    if not fits or len(set(over_x)) != len(over_x) or len(set(over_y)) != len(over_y):
        return call(_np.tensordot, (a, b), {"axes": axes})
    rows = [i for i in range(x.ndim) if i not in over_x]
    columns = [j for j in range(y.ndim) if j not in over_y]
    summed = math.prod(x.shape[i] for i in over_x)
    left_shape = (math.prod(x.shape[i] for i in rows), summed)
    right_shape = (summed, math.prod(y.shape[j] for j in columns))
    left = x.transpose(rows + over_x).reshape(left_shape)
    right = y.transpose(over_y + columns).reshape(right_shape)
    return dot(left, right).reshape([x.shape[i] for i in rows] + [y.shape[j] for j in columns])


@native(_np.cross, few=0)
def cross(
    a: Any, b: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1, axis: Any = None
) -> Any:
    last = axis in (None, -1) and axisa == axisb == axisc == -1
    pair = _pair(a, b) if last else None
    if pair is None or not all(x.ndim and x.shape[-1] == 3 for x in pair):
        return NotImplemented
    x, y = pair
    dtype = _np.promote_types(x.dtype, y.dtype)
    result = empty((*_np.broadcast_shapes(x.shape[:-1], y.shape[:-1]), 3), dtype)
    # Slices of one component: those of vectors would be numbers, whose overflow warns.
    first, second, third = (slice(k, k + 1) for k in range(3))
    for k, i, j in (first, second, third), (second, third, first), (third, first, second):
        result[..., k] = x[..., i] * y[..., j] - x[..., j] * y[..., i]
    return result


@native(_np.trace, few=0)
def trace(
    a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None, out: Any = None
) -> Any:
    if type(a) is ndarray:
        if out is None and a.ndim == 2 and not offset and {axis1, axis2} == {0, 1}:
            return a.diagonal().sum(dtype=dtype)
        return a.trace(offset, axis1, axis2, dtype, out)
    return dispatch_method(_np.trace, "trace", a, (offset, axis1, axis2, dtype, out), {})


@native(_np.diagonal)
def diagonal(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    if type(a) is ndarray:
        return a.diagonal(offset, axis1, axis2)
    return dispatch_method(_np.diagonal, "diagonal", a, (offset, axis1, axis2), {})


@native(_np.diag)
def diag(v: Any, k: Any = 0) -> Any:
    if type(v) is not ndarray or v.ndim not in (1, 2) or type(k) is not int:
        return call(_np.diag, (v, k), {})
    if v.ndim == 2:
        return v.diagonal(k)
    n = len(v) + abs(k)
    result = zeros((n, n), v.dtype)
    if len(v):
        # The diagonal is one strided slice of the flattened matrix, which ends at its last row.
        start = k if k >= 0 else -k * n
        result.reshape(-1)[start : start + len(v) * (n + 1) : n + 1] = v
    return result


@native(_np.diagflat)
def diagflat(v: Any, k: Any = 0) -> Any:
    if type(v) is not ndarray or type(k) is not int:
        return call(_np.diagflat, (v, k), {})
    return diag(v.ravel(), k)


@native(_np.tril, few=0)
def tril(m: Any, k: Any = 0) -> Any:
    if type(m) is not ndarray or m.ndim == 0 or type(k) is not int:
        return NotImplemented
    rows, columns = m.shape[-2:] if m.ndim > 1 else m.shape * 2
    return where(tri(rows, columns, k, bool), m, m.dtype.type(0))


@native(_np.triu, few=0)
def triu(m: Any, k: Any = 0) -> Any:
    if type(m) is not ndarray or m.ndim == 0 or type(k) is not int:
        return NotImplemented
    rows, columns = m.shape[-2:] if m.ndim > 1 else m.shape * 2
    return where(tri(rows, columns, k - 1, bool), m.dtype.type(0), m)


def _square_sum(x: Any, axis: Any, keepdims: bool) -> Any:
    if x.dtype.kind == "c":
        real, imag = x.real, x.imag
        return (real * real + imag * imag).sum(axis, keepdims=keepdims)
    return (x * x).sum(axis, keepdims=keepdims)


@native(_np.linalg.norm, few=0)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if type(x) is not ndarray or x.dtype.char == "e" or not _covered(x, ord, axis):
        return call(_np.linalg.norm, (x, ord, axis, keepdims), {}, "linalg.norm")
    kind = x.dtype.kind
    if kind not in "fc":
        x, kind = x.astype(float), "f"
    if ord is None or ord == 2 or ord in ("f", "fro"):
        if axis is None and not keepdims and kind == "f":
            x = x if x.ndim == 1 else x.ravel("K")
            return UFUNCS["sqrt"](dot(x, x))
        return UFUNCS["sqrt"](_square_sum(x, axis, keepdims))
    over = 0 if axis is None else axis
    if ord == math.inf:
        return abs(x).max(over, keepdims=keepdims)
    if ord == -math.inf:
        return abs(x).min(over, keepdims=keepdims)
    if ord == 0:
        return (x != 0).astype(x.real.dtype).sum(over, keepdims=keepdims)
    return abs(x).sum(over, keepdims=keepdims)


def _covered(x: Any, ord: Any, axis: Any) -> bool:
    """Whether the norm is native: vector norms over one axis, 2-norms over two or all axes."""
    if axis is None:
        if ord is None or (ord in ("f", "fro") and x.ndim == 2):
            return True
        return x.ndim == 1 and x.size > 0 and ord in (0, 1, 2, math.inf, -math.inf)
    if type(axis) is tuple and len(axis) == 2:
        # NumPy raises the errors for axes out of range.
        valid = all(type(at) is int and -x.ndim <= at < x.ndim for at in axis)
        return valid and axis[0] % x.ndim != axis[1] % x.ndim and ord in (None, "f", "fro")
    if type(axis) is not int:
        return False
    normalize_axis_index(axis, x.ndim)
    return x.shape[axis] > 0 and ord in (None, 0, 1, 2, math.inf, -math.inf)
