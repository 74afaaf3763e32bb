"""`numpy.linalg`: the functions of the array API standard, and matrix powers."""

from __future__ import annotations

from typing import Any

import numpy as _np

from fastnp._fallback.call import call
from fastnp._fallback.registry import native
from fastnp._fastnp import matmul, ndarray
from fastnp._functions.linear_algebra import cross, norm, outer

_linalg = _np.linalg


def _all_ours(*values: Any) -> bool:
    return all(type(x) is ndarray for x in values)


@native(_linalg.matmul)
def linalg_matmul(x1: Any, x2: Any, /) -> Any:
    if _all_ours(x1, x2):
        return matmul(x1, x2)
    return call(_linalg.matmul, (x1, x2), {}, "linalg.matmul")


@native(_linalg.matrix_transpose)
def linalg_matrix_transpose(x: Any, /) -> Any:
    if type(x) is ndarray and x.ndim >= 2:
        return x.mT
    return call(_linalg.matrix_transpose, (x,), {}, "linalg.matrix_transpose")


@native(_linalg.outer)
def linalg_outer(x1: Any, x2: Any, /) -> Any:
    if _all_ours(x1, x2) and x1.ndim == x2.ndim == 1:
        return outer(x1, x2)
    return call(_linalg.outer, (x1, x2), {}, "linalg.outer")


@native(_linalg.cross)
def linalg_cross(x1: Any, x2: Any, /, *, axis: Any = -1) -> Any:
    if _all_ours(x1, x2) and axis == -1 and x1.shape[-1:] == x2.shape[-1:] == (3,):
        return cross(x1, x2)
    return call(_linalg.cross, (x1, x2), {"axis": axis}, "linalg.cross")


@native(_linalg.diagonal)
def linalg_diagonal(x: Any, /, *, offset: Any = 0) -> Any:
    if type(x) is ndarray and x.ndim >= 2 and type(offset) is int:
        return x.diagonal(offset, -2, -1)
    return call(_linalg.diagonal, (x,), {"offset": offset}, "linalg.diagonal")


@native(_linalg.trace)
def linalg_trace(x: Any, /, *, offset: Any = 0, dtype: Any = None) -> Any:
    if type(x) is ndarray and x.ndim >= 2 and type(offset) is int:
        return x.diagonal(offset, -2, -1).sum(-1, dtype)
    return call(_linalg.trace, (x,), {"offset": offset, "dtype": dtype}, "linalg.trace")


@native(_linalg.matrix_norm)
def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    if type(x) is ndarray and x.ndim >= 2 and ord == "fro":
        return norm(x, ord, (-2, -1), keepdims)
    return call(_linalg.matrix_norm, (x,), {"keepdims": keepdims, "ord": ord}, "linalg.matrix_norm")


@native(_linalg.vector_norm)
def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    if type(x) is ndarray and ord in (1, 2, _np.inf):
        if type(axis) is int:
            return norm(x, ord, axis, keepdims)
        if axis is None and not keepdims and x.size:
            return norm(x.ravel(), ord)
    named = {"axis": axis, "keepdims": keepdims, "ord": ord}
    return call(_linalg.vector_norm, (x,), named, "linalg.vector_norm")


@native(_linalg.matrix_power)
def matrix_power(a: Any, n: Any) -> Any:
    square = type(a) is ndarray and a.ndim >= 2 and a.shape[-1] == a.shape[-2]
    if not square or type(n) is not int or n < 1:
        return call(_linalg.matrix_power, (a, n), {}, "linalg.matrix_power")
    if n == 1:
        return a
    if n == 3:
        return matmul(matmul(a, a), a)
    power, result = a, None
    while n:
        n, bit = divmod(n, 2)
        if bit:
            result = power if result is None else matmul(result, power)
        if n:
            power = matmul(power, power)
    return result
