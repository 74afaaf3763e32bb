"""Covariance and correlation of rows, and polynomials at points."""

from __future__ import annotations

from typing import Any

import numpy as _np

from fastnp._fallback import call
from fastnp._fastnp import UFUNCS, concatenate, dot, ndarray, zeros_like
from fastnp._registry import native


def _rows(x: Any, by_rows: bool) -> Any:
    """The variables as rows of doubles; a vector is one of them."""
    x = x.astype(_np.float64, copy=False)
    return x[None, :] if x.ndim == 1 else x if by_rows else x.T


@native(_np.cov)
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
    given = [x for x in (m, y) if x is not None]
    plain = fweights is None and aweights is None and dtype is None and ddof in (None, 0, 1)
    real = all(type(x) is ndarray and x.ndim in (1, 2) and x.dtype.kind in "fiu" for x in given)
    if plain and real and given:
        parts = [_rows(x, bool(rowvar)) for x in given]
        observations = parts[0].shape[1]
        free = observations - ((0 if bias else 1) if ddof is None else ddof)
        fit = all(x.shape[0] and x.shape[1] == observations for x in parts)
        # NumPy's product of a matrix and its transpose computes half of it: 21 ms against 28 for
        # 1,000 variables; for 30, what stands around it costs twice as much as here.
        if fit and free > 0 and sum(x.shape[0] for x in parts) <= 256:
            x = concatenate(parts) if len(parts) > 1 else parts[0]
            x = x - x.mean(1)[:, None]
            return (dot(x, x.T) * (1 / _np.float64(free))).squeeze()
    named = {"rowvar": rowvar, "bias": bias, "ddof": ddof, "dtype": dtype}
    weights = {"fweights": fweights, "aweights": aweights}
    return call(_np.cov, (m, y), {**named, **weights})


@native(_np.corrcoef)
def corrcoef(x: Any, y: Any = None, rowvar: Any = True, *, dtype: Any = None) -> Any:
    if type(x) is not ndarray or dtype is not None:
        return call(_np.corrcoef, (x, y, rowvar), {"dtype": dtype})
    c = cov(x, y, rowvar)
    if type(c) is not ndarray or c.ndim == 0 or c.dtype.kind == "c":
        return call(_np.corrcoef, (x, y, rowvar), {})
    deviation = UFUNCS["sqrt"](c.diagonal())
    return (c / deviation[:, None] / deviation[None, :]).clip(-1, 1)


@native(_np.polyval)
def polyval(p: Any, x: Any) -> Any:
    flat = (type(p) is ndarray and p.ndim == 1) or (type(p) is list and _plain(p))
    if type(x) is not ndarray or not flat:
        return call(_np.polyval, (p, x), {})
    # NumPy's coefficients are scalars with a type, which promote.
    coefficients = _np.asarray(p)
    result = zeros_like(x)
    for coefficient in coefficients:
        result = result * x + coefficient
    return result


def _plain(values: list[Any]) -> bool:
    return all(type(value) in (int, float) for value in values)
