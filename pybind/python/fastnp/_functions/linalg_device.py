"""`numpy.linalg` on a device: factorizations by its library (cuSOLVER), in double precision as in
NumPy.

The library takes column-major matrices of one type, so shapes and types are converted here. Where
it reports a matrix that it cannot solve, NumPy runs and raises the error.
"""

from __future__ import annotations

from typing import Any

import numpy as _np
from numpy.linalg import _linalg

from fastnp import _fastnp
from fastnp._fastnp import asarray, eigen, empty, ndarray, to_numpy
from fastnp._functions.linear_algebra import tril, triu
from fastnp._interop.device_library import LibraryError, device_routine

_TYPES = frozenset("?bBhHiIlLqQfdFD")


def _is_stack(a: Any) -> bool:
    """Whether this is a stack of matrices that the library takes, of at least one element."""
    return type(a) is ndarray and a.dtype.char in _TYPES and a.ndim >= 2 and a.size > 0


def _is_square(a: Any) -> bool:
    return _is_stack(a) and a.shape[-1] == a.shape[-2]


def _codes(*arrays: Any) -> tuple[str, str]:
    """The type NumPy computes in, and the type of the result."""
    single = all(x.dtype.char in "fF" for x in arrays)
    if any(x.dtype.kind == "c" for x in arrays):
        return "D", "F" if single else "D"
    return "d", "f" if single else "d"


def _as_type(x: Any, code: str) -> Any:
    return x if x.dtype.char == code else x.astype(code)


def _row_major(x: Any, code: str) -> Any:
    """A row-major copy in the type `code`."""
    copy = empty(x.shape, code)
    copy[...] = x
    return copy


def _check(status: Any) -> None:
    """Raise `LibraryError` unless the library's status of every matrix is zero."""
    if to_numpy(status).any():
        raise LibraryError


def _transposed(x: Any) -> Any:
    return x.swapaxes(-1, -2)


def _solved(a: Any, b: Any, code: str) -> Any:
    """Column-major solutions for two stacks of matrices."""
    solutions, status = _fastnp.solve(
        _as_type(_transposed(a), code), _as_type(_transposed(b), code)
    )
    _check(status)
    return solutions


@device_routine("solver", _np.linalg.solve)
def solve(a: Any, b: Any) -> Any:
    if type(a) is not ndarray and type(b) is not ndarray:
        return None
    a, b = asarray(a), asarray(b)
    if not _is_square(a) or type(b) is not ndarray or b.dtype.char not in _TYPES or b.ndim == 0:
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
    return _row_major(x[..., 0, :] if b.ndim == 1 else _transposed(x), result)


@device_routine("solver", _np.linalg.inv)
def inv(a: Any) -> Any:
    if not _is_square(a):
        return None
    code, result = _codes(a)
    n = a.shape[-1]
    sides = _fastnp.zeros(a.shape, code)
    sides.reshape(-1, n * n)[:, :: n + 1] = 1
    return _row_major(_transposed(_solved(a, sides, code)), result)


def _determinants(a: Any) -> Any:
    """Signs and logarithms of determinants, computed on the host as in NumPy from the diagonals of
    the LU factors.
    """
    code, result = _codes(a)
    factors, pivots = _fastnp.lu(_as_type(_transposed(a), code))
    diagonal = to_numpy(factors.diagonal(0, -2, -1).copy())
    # The parity of the permutation: each pivot other than its own row is a transposition.
    odd = (to_numpy(pivots) != _np.arange(1, a.shape[-1] + 1)).sum(-1) % 2
    with _np.errstate(all="ignore"):
        length = abs(diagonal)
        signs = diagonal / length if code == "D" else _np.where(diagonal < 0, -1.0, 1.0)
        sign, logarithm = _np.where(odd, -1.0, 1.0) * signs.prod(-1), _np.log(length).sum(-1)
    sign = _np.where((diagonal == 0).any(-1), 0, sign)
    return sign, logarithm, result


@device_routine("solver", _np.linalg.det)
def det(a: Any) -> Any:
    if not _is_square(a):
        return None
    sign, logarithm, result = _determinants(a)
    with _np.errstate(all="ignore"):
        return _ours((sign * _np.exp(logarithm)).astype(result))


@device_routine("solver", _np.linalg.slogdet)
def slogdet(a: Any) -> Any:
    if not _is_square(a):
        return None
    sign, logarithm, result = _determinants(a)
    logarithm = logarithm.astype(result.lower())
    return _linalg.SlogdetResult(_ours(sign.astype(result)), _ours(logarithm))


def _ours(x: Any) -> Any:
    """NumPy's array as an array of ours; its array without axes as a scalar."""
    return asarray(x) if x.ndim else x[()]


@device_routine("solver", _np.linalg.cholesky)
def cholesky(a: Any, /, *, upper: Any = False) -> Any:
    if not _is_square(a) or type(upper) is not bool:
        return None
    code, result = _codes(a)
    factors, status = _fastnp.cholesky(_as_type(a, code), upper)
    _check(status)
    return _as_type((triu if upper else tril)(factors), result)


@device_routine("solver", _np.linalg.eigh)
def eigh(a: Any, UPLO: Any = "L") -> Any:
    if not _is_square(a) or UPLO not in ("L", "U", "l", "u"):
        return None
    code, result = _codes(a)
    values, rows, status = eigen(_as_type(a, code), UPLO in "Uu", True)
    _check(status)
    # In column-major order the library got the conjugate matrix, whose eigenvectors are conjugates.
    vectors = _row_major(_transposed(rows.conj() if code == "D" else rows), result)
    return _linalg.EighResult(_as_type(values, result.lower()), vectors)


@device_routine("solver", _np.linalg.eigvalsh)
def eigvalsh(a: Any, UPLO: Any = "L") -> Any:
    if not _is_square(a) or UPLO not in ("L", "U", "l", "u"):
        return None
    code, result = _codes(a)
    values, _, status = eigen(_as_type(a, code), UPLO in "Uu", False)
    _check(status)
    return _as_type(values, result.lower())


@device_routine("solver", _np.linalg.qr)
def qr(a: Any, mode: Any = "reduced") -> Any:
    if not _is_stack(a) or type(mode) is not str or mode not in ("reduced", "complete", "r"):
        return None
    code, result = _codes(a)
    rows, columns = a.shape[-2:]
    wanted = rows if mode == "complete" else min(rows, columns)
    factors = _fastnp.qr(_as_type(_transposed(a), code), 0 if mode == "r" else wanted)
    triangles = triu(_row_major(_transposed(factors[0])[..., :wanted, :], result))
    if mode == "r":
        return triangles
    return _linalg.QRResult(_row_major(_transposed(factors[1]), result), triangles)


def _svd(a: Any, full_matrices: Any = True, compute_uv: Any = True, hermitian: Any = False) -> Any:
    if not _is_stack(a) or hermitian is not False:
        return None
    if type(full_matrices) is not bool or type(compute_uv) is not bool:
        return None
    code, result = _codes(a)
    rows, columns = a.shape[-2:]
    wanted = max(rows, columns) if full_matrices else min(rows, columns)
    # A wide row-major matrix is its tall transpose in column-major order; U and V are exchanged.
    tall = _as_type(_transposed(a) if rows >= columns else a, code)
    values, status, *vectors = _fastnp.svd(tall, wanted if compute_uv else 0)
    _check(status)
    values = _as_type(values, result.lower())
    if not compute_uv:
        return values
    left, right = vectors
    if rows >= columns:
        both = _row_major(_transposed(left), result), _row_major(_transposed(right), result)
    else:
        both = _as_type(right, result), _as_type(left, result)
    return _linalg.SVDResult(both[0], values, both[1])


device_routine("solver", _np.linalg.svd)(_svd)


@device_routine("solver", _np.linalg.svdvals)
def svdvals(x: Any, /) -> Any:
    return _svd(x, compute_uv=False)
