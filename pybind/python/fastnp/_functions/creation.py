"""Array creation from scalars: ranges, grids, unit matrices, index arrays."""

from __future__ import annotations

import operator
from typing import Any

import numpy as _np

from fastnp import _fastnp
from fastnp._fallback.call import call
from fastnp._fallback.registry import native
from fastnp._fastnp import UFUNCS, arange, asanyarray, empty, ndarray

_NO_DEVICE = (None, "cpu")


def _real(value: Any) -> bool:
    if type(value) is int:
        return abs(value) < 1 << 63
    return type(value) in (float, _np.float64)


@native(_np.linspace)
def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: Any = 0,
    *,
    device: Any = None,
) -> Any:
    kind = "f" if dtype is None else _np.dtype(dtype).kind
    if not (_real(start) and _real(stop)) or axis not in (0, -1) or kind not in "fiu" or device:
        arguments = (start, stop, num, endpoint, retstep, dtype, axis)
        return call(_np.linspace, arguments, {"device": device} if device else {})
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    intervals = num - 1 if endpoint else num
    delta = _np.float64(stop) - _np.float64(start)
    y = arange(0, num, dtype=_np.float64)
    step: Any = _np.nan
    if intervals > 0:
        step = delta / intervals
        # Where the step underflows to zero, NumPy divides first.
        y = y / intervals * delta if step == 0 else y * step
    else:
        y = y * delta
    y = y + start
    if endpoint and num > 1:
        y[-1] = stop
    if kind != "f":
        y = UFUNCS["floor"](y)
    if dtype is not None:
        y = y.astype(dtype, copy=False)
    return (y, step) if retstep else y


@native(_np.logspace)
def logspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: Any = 0,
) -> Any:
    if not (_real(start) and _real(stop) and _real(base)) or axis not in (0, -1):
        return call(_np.logspace, (start, stop, num, endpoint, base, dtype, axis), {})
    y = UFUNCS["power"](base, linspace(start, stop, num, endpoint))
    return y if dtype is None else y.astype(dtype, copy=False)


@native(_np.eye)
def eye(
    N: Any,
    M: Any = None,
    k: Any = 0,
    dtype: Any = float,
    order: Any = "C",
    *,
    device: Any = None,
    like: Any = None,
) -> Any:
    if like is not None or device not in _NO_DEVICE:
        extra = {"like": like} if like is not None else {"device": device}
        return call(_np.eye, (N, M, k, dtype, order), extra)
    return _fastnp.eye(N, M, k, dtype, order)


@native(_np.identity)
def identity(n: Any, dtype: Any = None, *, like: Any = None) -> Any:
    if like is not None:
        return call(_np.identity, (n, dtype), {"like": like})
    return eye(n, dtype=float if dtype is None else dtype)


@native(_np.tri, few=100)
def tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = float, *, like: Any = None) -> Any:
    if like is not None:
        return call(_np.tri, (N, M, k, dtype), {"like": like})
    if type(k) is not int:
        return NotImplemented
    columns = N if M is None else M
    below = arange(N)[:, None] >= arange(-k, columns - k)
    return below if dtype is bool else below.astype(dtype, copy=False)


@native(_np.indices, few=0)
def indices(dimensions: Any, dtype: Any = int, sparse: bool = False) -> Any:
    shape = tuple(dimensions)
    ndim = len(shape)
    ones = (1,) * ndim
    if sparse:
        return tuple(
            arange(n, dtype=dtype).reshape((*ones[:axis], n, *ones[axis + 1 :]))
            for axis, n in enumerate(shape)
        )
    result = empty((ndim, *shape), dtype)
    for axis, n in enumerate(shape):
        values = arange(n, dtype=dtype)
        result[axis] = values if axis == ndim - 1 else values.reshape((n, *ones[axis + 1 :]))
    return result


# What NumPy returns where it neither broadcasts nor copies: a list, from 2.5 on a tuple.
_GRIDS: Any = type(_np.meshgrid(sparse=True, copy=False))


@native(_np.meshgrid)
def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: Any = "xy") -> Any:
    arrays = [asanyarray(x) for x in xi]
    ours = all(type(x) is ndarray for x in arrays)
    if not arrays or not ours or indexing not in ("xy", "ij"):
        return call(_np.meshgrid, xi, {"copy": copy, "sparse": sparse, "indexing": indexing})
    ndim = len(arrays)
    axes = list(range(ndim))
    if indexing == "xy" and ndim > 1:
        axes[:2] = 1, 0
    grids = [
        x.reshape([-1 if i == axis else 1 for i in range(ndim)])
        for x, axis in zip(arrays, axes, strict=True)
    ]
    if not sparse:
        shape = _np.broadcast_shapes(*(grid.shape for grid in grids))
        grids = [
            grid if grid.shape == shape else _fastnp.broadcast_to(grid, shape) for grid in grids
        ]
    if copy:
        grids = [grid.copy() for grid in grids]
    return _GRIDS(grids) if sparse and not copy else tuple(grids)
