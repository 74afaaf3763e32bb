"""Correlations and convolutions of vectors, polynomials, and window functions.

The extension's loop adds the terms of every shift. Products of polynomials are convolutions of
their coefficients, the highest power first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as _np

from fastnp._fallback.call import call
from fastnp._fallback.registry import native
from fastnp._fastnp import (
    UFUNCS,
    arange,
    array,
    asarray,
    concatenate,
    correlate_vectors,
    empty,
    ndarray,
    ones,
    where,
    zeros,
)
from fastnp._functions.rearrange import trim_zeros

_MODES = ("valid", "same", "full")
_cos = UFUNCS["cos"]


def _vectors(a: Any, v: Any, mode: Any) -> tuple[Any, Any] | None:
    """Both as vectors of ours; None for what NumPy refuses, and where neither is ours."""
    if (type(a) is not ndarray and type(v) is not ndarray) or mode not in _MODES:
        return None
    if type(a) is not type(v):
        a, v = asarray(a), asarray(v)
    if type(a) is not ndarray or type(v) is not ndarray or not (a.ndim == v.ndim == 1):
        return None
    return (a, v) if a.size and v.size else None


def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    """What the extension's function of this name leaves: all but two vectors of ours, the second
    no longer than the first.
    """
    pair = _vectors(a, v, mode)
    if pair is not None:
        first, second = pair
        second = second.conj() if second.dtype.kind == "c" else second
        # The loop takes the longer one first, which turns the order of shifts.
        backwards = first.size < second.size
        if backwards:
            first, second = second, first
        sums = correlate_vectors(first, second, mode)
        if sums is not None:
            return sums[::-1].copy() if backwards else sums
    return call(_np.correlate, (a, v, mode), {})


def convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    """What the extension's function of this name leaves: all but two vectors of ours."""
    pair = _vectors(a, v, mode)
    if pair is not None:
        first, second = pair if pair[0].size >= pair[1].size else pair[::-1]
        sums = correlate_vectors(first, second[::-1], mode)
        if sums is not None:
            return sums
    return call(_np.convolve, (a, v, mode), {})


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


@native(_np.vander, few=200)
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


def _window(original: Callable[..., Any], values: Callable[[Any, Any], Any]) -> None:
    """Registers the window with these `values` at the steps from `1 - M` to `M - 1`."""

    def window(M: Any) -> Any:
        if type(M) not in (int, float, _np.int64, _np.float64):
            return call(original, (M,), {})
        M = _np.float64(M)
        if M < 1:
            return array([], dtype="d")
        if M == 1:
            return ones(1)
        return values(arange(1 - M, M, 2), M - 1)

    native(original)(window)


_window(_np.hanning, lambda n, last: 0.5 + 0.5 * _cos(_np.pi * n / last))
_window(_np.hamming, lambda n, last: 0.54 + 0.46 * _cos(_np.pi * n / last))
_window(
    _np.blackman,
    lambda n, last: 0.42 + 0.5 * _cos(_np.pi * n / last) + 0.08 * _cos(2.0 * _np.pi * n / last),
)
_window(_np.bartlett, lambda n, last: where(n <= 0, 1 + n / last, 1 - n / last))
