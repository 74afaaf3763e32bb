"""Covariance and correlation coefficients."""

from __future__ import annotations

from typing import Any

import numpy as _np

from fastnp._fallback.registry import native
from fastnp._fastnp import UFUNCS, asarray, concatenate, dot, empty, ndarray

# The covariance of two variables with so many observations is a kernel of inner products, which
# fuse with what they multiply.
_MANY_OBSERVATIONS = 1 << 15


@native(_np.cov, few=0)
def cov(
    m: Any,
    y: Any = None,
    rowvar: Any = True,
    bias: Any = False,
    ddof: Any = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    if ddof is None or type(ddof) is int:
        if fweights is aweights is dtype is None:
            found = _of_two(m, y, rowvar, int(bias == 0) if ddof is None else ddof)
            if found is not None:
                return found
        x = _variables([x for x in (m, y) if x is not None], bool(rowvar), dtype)
        if x is not None:
            free = int(bias == 0) if ddof is None else ddof
            found = _covariance(x, free, fweights, aweights)
            if found is not None:
                return found
    return NotImplemented


def _of_two(m: Any, y: Any, by_rows: Any, lost: int) -> Any:
    """The covariance of two variables with many observations; None for anything else.

    Three sums of products of distances from the means: one pass over the variables after that for
    the means, which stores neither the distances nor a copy of both variables.
    """
    if type(m) is not ndarray or m.dtype.char != "d":
        return None
    if y is None:
        if m.ndim != 2 or m.shape[0 if by_rows else 1] != 2:
            return None
        rows = m if by_rows else m.T
        x, y = rows[0], rows[1]
    elif type(y) is ndarray and m.ndim == y.ndim == 1 and y.dtype.char == "d":
        x = m
    else:
        return None
    observations = x.size
    if observations < _MANY_OBSERVATIONS or y.size != observations or observations <= lost:
        return None
    x_mean, y_mean = x.mean(keepdims=True), y.mean(keepdims=True)
    x, y = (x - x_mean)[None, :], (y - y_mean)[None, :]
    factor = float(1 / _np.float64(observations - lost))
    sums = [dot(a, b.T) * factor for a, b in ((x, x), (x, y), (y, y))]
    found = empty((2, 2))
    for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
        found[i : i + 1, j : j + 1] = sums[i + j]
    return found


def _variables(given: list[Any], by_rows: bool, dtype: Any) -> Any:
    """The variables as rows, in the type computed in; None for what NumPy refuses."""
    known = all(type(x) is ndarray and x.ndim in (1, 2) and x.dtype.kind in "fiubc" for x in given)
    if not given or not known:
        return None
    common = _np.result_type(*(x.dtype for x in given), _np.float64)
    to = common if dtype is None else _np.dtype(dtype)
    if to.char not in "fdFD" or (common.kind == "c" and to.kind != "c"):
        return None
    parts = [x.astype(to, copy=False) for x in given]
    parts = [x[None, :] if x.ndim == 1 else x if by_rows else x.T for x in parts]
    if not all(x.shape[0] and x.shape[1] == parts[0].shape[1] for x in parts):
        return None
    return concatenate(parts) if len(parts) > 1 else parts[0]


def _weights(weights: Any, observations: int, are_counts: bool) -> Any:
    """Weights of observations in `float64`; None for what NumPy refuses."""
    weights = asarray(weights, dtype=_np.float64)
    if type(weights) is not ndarray or weights.shape != (observations,) or not (weights >= 0).all():
        return None
    return None if are_counts and (weights != UFUNCS["rint"](weights)).any() else weights


def _covariance(x: Any, lost: int, fweights: Any, aweights: Any) -> Any:
    """The covariance of rows, `lost` degrees of freedom less than there are observations; None for
    what NumPy refuses or warns of.
    """
    observations = x.shape[1]
    counts, weights = fweights, aweights
    if fweights is not None:
        counts = _weights(fweights, observations, True)
    if aweights is not None:
        weights = _weights(aweights, observations, False)
    if (counts is None) != (fweights is None) or (weights is None) != (aweights is None):
        return None
    w = weights if counts is None else counts if weights is None else counts * weights
    if w is None:
        mean, free = x.mean(1), observations - lost
    else:
        total = w.sum()
        if not total > 0:
            return None
        mean, free = (x * w).sum(1) / total, total
        if lost:
            free = total - lost * (1 if weights is None else (w * weights).sum() / total)
    if not free > 0:
        return None
    x = (x - mean[:, None]).astype(x.dtype, copy=False)
    other = (x if w is None else x * w).T
    return (dot(x, other.conj()) * float(1 / _np.float64(free))).squeeze()


@native(_np.corrcoef, few=0)
def corrcoef(x: Any, y: Any = None, rowvar: Any = True, *, dtype: Any = None) -> Any:
    c = cov(x, y, rowvar, dtype=dtype) if type(x) is ndarray else None
    if type(c) is not ndarray:
        return NotImplemented
    if c.ndim == 0:
        return c / c
    deviation = UFUNCS["sqrt"](c.diagonal().real)
    c = c / deviation[:, None] / deviation[None, :]
    if c.dtype.kind != "c":
        return c.clip(-1, 1)
    c.real = c.real.clip(-1, 1)
    c.imag = c.imag.clip(-1, 1)
    return c
