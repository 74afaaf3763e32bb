"""Linear algebra by a device's library, in double precision, as in NumPy.

The library takes matrices by columns and knows neither NumPy's shapes nor its types. Where it
finds a matrix that it cannot solve, NumPy finds the same and says so.
"""

from __future__ import annotations

from typing import Any

import numpy as _np
from numpy.linalg import _linalg

from fastnp import _fastnp
from fastnp._fastnp import asarray, eigen, empty, ndarray, to_numpy
from fastnp._library import Wrong, computed_by
from fastnp._linear import tril, triu

_TYPES = frozenset("?bBhHiIlLqQfdFD")


def _several(a: Any) -> bool:
    """Whether these are matrices that the library takes, of at least one element."""
    return type(a) is ndarray and a.dtype.char in _TYPES and a.ndim >= 2 and a.size > 0


def _square(a: Any) -> bool:
    return _several(a) and a.shape[-1] == a.shape[-2]


def _codes(*arrays: Any) -> tuple[str, str]:
    """In which type NumPy computes, and that of the result."""
    single = all(x.dtype.char in "fF" for x in arrays)
    if any(x.dtype.kind == "c" for x in arrays):
        return "D", "F" if single else "D"
    return "d", "f" if single else "d"


def _in(x: Any, code: str) -> Any:
    return x if x.dtype.char == code else x.astype(code)


def _dense(x: Any, code: str) -> Any:
    """A copy by rows, in a type."""
    made = empty(x.shape, code)
    made[...] = x
    return made


def _check(found: Any) -> None:
    if to_numpy(found).any():
        raise Wrong


def _by_columns(x: Any) -> Any:
    return x.swapaxes(-1, -2)


def _solved(a: Any, b: Any, code: str) -> Any:
    """Solutions for stacks of matrices of the same extents, by columns."""
    solutions, found = _fastnp.solve(_in(_by_columns(a), code), _in(_by_columns(b), code))
    _check(found)
    return solutions


@computed_by("solver", _np.linalg.solve)
def solve(a: Any, b: Any) -> Any:
    if type(a) is not ndarray and type(b) is not ndarray:
        return None
    a, b = asarray(a), asarray(b)
    if not _square(a) or type(b) is not ndarray or b.dtype.char not in _TYPES or b.ndim == 0:
        return None
    sides = b[:, None] if b.ndim == 1 else b
    if sides.shape[-2] != a.shape[-1] or sides.size == 0:
        return None
    try:
        stack = _np.broadcast_shapes(a.shape[:-2], sides.shape[:-2])
    except ValueError:
        return None
    if 0 in stack:
        return None
    a = _fastnp.broadcast_to(a, stack + a.shape[-2:])
    sides = _fastnp.broadcast_to(sides, stack + sides.shape[-2:])
    code, result = _codes(a, b)
    x = _solved(a, sides, code)
    return _dense(x[..., 0, :] if b.ndim == 1 else _by_columns(x), result)


@computed_by("solver", _np.linalg.inv)
def inv(a: Any) -> Any:
    if not _square(a):
        return None
    code, result = _codes(a)
    n = a.shape[-1]
    sides = _fastnp.zeros(a.shape, code)
    sides.reshape(-1, n * n)[:, :: n + 1] = 1
    return _dense(_by_columns(_solved(a, sides, code)), result)


def _determinants(a: Any) -> Any:
    """Signs and logarithms of determinants as NumPy computes them, on the host: from diagonals of
    factors, one number a row.
    """
    code, result = _codes(a)
    factors, swapped = _fastnp.lu(_in(_by_columns(a), code))
    diagonal = to_numpy(factors.diagonal(0, -2, -1).copy())
    odd = (to_numpy(swapped) != _np.arange(1, a.shape[-1] + 1)).sum(-1) % 2
    with _np.errstate(all="ignore"):
        length = abs(diagonal)
        part = diagonal / length if code == "D" else _np.where(diagonal < 0, -1.0, 1.0)
        sign, logarithm = _np.where(odd, -1.0, 1.0) * part.prod(-1), _np.log(length).sum(-1)
    sign = _np.where((diagonal == 0).any(-1), 0, sign)
    return sign, logarithm, result


@computed_by("solver", _np.linalg.det)
def det(a: Any) -> Any:
    if not _square(a):
        return None
    sign, logarithm, result = _determinants(a)
    with _np.errstate(all="ignore"):
        return _ours((sign * _np.exp(logarithm)).astype(result))


@computed_by("solver", _np.linalg.slogdet)
def slogdet(a: Any) -> Any:
    if not _square(a):
        return None
    sign, logarithm, result = _determinants(a)
    logarithm = logarithm.astype(result.lower())
    return _linalg.SlogdetResult(_ours(sign.astype(result)), _ours(logarithm))


def _ours(x: Any) -> Any:
    """NumPy's array as ours, its number as it is."""
    return asarray(x) if x.ndim else x[()]


@computed_by("solver", _np.linalg.cholesky)
def cholesky(a: Any, /, *, upper: Any = False) -> Any:
    if not _square(a) or type(upper) is not bool:
        return None
    code, result = _codes(a)
    factors, found = _fastnp.cholesky(_in(a, code), upper)
    _check(found)
    return _in((triu if upper else tril)(factors), result)


@computed_by("solver", _np.linalg.eigh)
def eigh(a: Any, UPLO: Any = "L") -> Any:
    if not _square(a) or UPLO not in ("L", "U", "l", "u"):
        return None
    code, result = _codes(a)
    values, rows, found = eigen(_in(a, code), UPLO in "Uu", True)
    _check(found)
    # The eigenvectors of a matrix's conjugate are the conjugates of its own.
    vectors = _dense(_by_columns(rows.conj() if code == "D" else rows), result)
    return _linalg.EighResult(_in(values, result.lower()), vectors)


@computed_by("solver", _np.linalg.eigvalsh)
def eigvalsh(a: Any, UPLO: Any = "L") -> Any:
    if not _square(a) or UPLO not in ("L", "U", "l", "u"):
        return None
    code, result = _codes(a)
    values, _, found = eigen(_in(a, code), UPLO in "Uu", False)
    _check(found)
    return _in(values, result.lower())


@computed_by("solver", _np.linalg.qr)
def qr(a: Any, mode: Any = "reduced") -> Any:
    if not _several(a) or type(mode) is not str or mode not in ("reduced", "complete", "r"):
        return None
    code, result = _codes(a)
    rows, columns = a.shape[-2:]
    wanted = rows if mode == "complete" else min(rows, columns)
    found = _fastnp.qr(_in(_by_columns(a), code), 0 if mode == "r" else wanted)
    triangles = triu(_dense(_by_columns(found[0])[..., :wanted, :], result))
    if mode == "r":
        return triangles
    return _linalg.QRResult(_dense(_by_columns(found[1]), result), triangles)


def _svd(a: Any, full_matrices: Any = True, compute_uv: Any = True, hermitian: Any = False) -> Any:
    if not _several(a) or hermitian is not False:
        return None
    if type(full_matrices) is not bool or type(compute_uv) is not bool:
        return None
    code, result = _codes(a)
    rows, columns = a.shape[-2:]
    wanted = max(rows, columns) if full_matrices else min(rows, columns)
    # By columns a wide matrix is its transpose, with left for right.
    tall = _in(_by_columns(a) if rows >= columns else a, code)
    values, found, *vectors = _fastnp.svd(tall, wanted if compute_uv else 0)
    _check(found)
    values = _in(values, result.lower())
    if not compute_uv:
        return values
    left, right = vectors
    if rows >= columns:
        both = _dense(_by_columns(left), result), _dense(_by_columns(right), result)
    else:
        both = _in(right, result), _in(left, result)
    return _linalg.SVDResult(both[0], values, both[1])


computed_by("solver", _np.linalg.svd)(_svd)


@computed_by("solver", _np.linalg.svdvals)
def svdvals(x: Any, /) -> Any:
    return _svd(x, compute_uv=False)
