"""Polynomials as vectors of coefficients, the highest power first."""

from __future__ import annotations

from typing import Any

import numpy as _np

from fastnp._fallback.call import call
from fastnp._fallback.registry import native
from fastnp._fastnp import UFUNCS, arange, concatenate, empty, ndarray, zeros
from fastnp._functions.correlation import convolve
from fastnp._functions.edit import trim_zeros


def _are_vectors(*values: Any) -> bool:
    return all(type(x) is ndarray and x.ndim == 1 for x in values)


def _padded(p: Any, length: int) -> Any:
    """The polynomial with zeros for higher powers."""
    more = length - p.size
    return concatenate((zeros(more, p.dtype), p)) if more > 0 else p


@native(_np.polyadd)
def polyadd(a1: Any, a2: Any) -> Any:
    if not _are_vectors(a1, a2):
        return call(_np.polyadd, (a1, a2), {})
    return _padded(a1, a2.size) + _padded(a2, a1.size)


@native(_np.polysub)
def polysub(a1: Any, a2: Any) -> Any:
    if not _are_vectors(a1, a2):
        return call(_np.polysub, (a1, a2), {})
    return _padded(a1, a2.size) - _padded(a2, a1.size)


@native(_np.polymul)
def polymul(a1: Any, a2: Any) -> Any:
    if not _are_vectors(a1, a2):
        return call(_np.polymul, (a1, a2), {})
    # Without leading zeros; the polynomial of zeros alone has one.
    factors = [trim_zeros(a, "f") for a in (a1, a2)]
    return convolve(*(x if x.size else zeros(1, x.dtype) for x in factors))


@native(_np.polyder)
def polyder(p: Any, m: Any = 1) -> Any:
    if not _are_vectors(p) or type(m) is not int or m < 0:
        return call(_np.polyder, (p, m), {})
    for _ in range(m):
        p = p[:-1] * arange(len(p) - 1, 0, -1)
    return p


@native(_np.vander)
def vander(x: Any, N: Any = None, increasing: bool = False) -> Any:
    columns = x.size if N is None and type(x) is ndarray else N
    if not _are_vectors(x) or type(columns) is not int or columns < 0:
        return call(_np.vander, (x, N, increasing), {})
    v = empty((len(x), columns), _np.promote_types(x.dtype, int))
    if columns:
        powers = v if increasing else v[:, ::-1]
        powers[:, 0] = 1
        powers[:, 1:] = x[:, None]
        if columns > 2:
            powers[:, 1:] = UFUNCS["multiply"].accumulate(powers[:, 1:], axis=1)
    return v
