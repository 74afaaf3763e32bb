"""Correlations and convolutions of vectors. The extension's loop adds the terms of every shift."""

from __future__ import annotations

from typing import Any

import numpy as _np

from fastnp._fallback.call import call
from fastnp._fallback.registry import native
from fastnp._fastnp import asarray, correlate_vectors, ndarray

_MODES = ("valid", "same", "full")


def _vectors(a: Any, v: Any, mode: Any) -> tuple[Any, Any] | None:
    """Both as vectors of ours; None for what NumPy refuses, and where neither is ours."""
    if (type(a) is not ndarray and type(v) is not ndarray) or mode not in _MODES:
        return None
    a, v = asarray(a), asarray(v)
    if type(a) is not ndarray or type(v) is not ndarray or not (a.ndim == v.ndim == 1):
        return None
    return (a, v) if a.size and v.size else None


@native(_np.correlate)
def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    pair = _vectors(a, v, mode)
    if pair is not None:
        first, second = pair[0], pair[1].conj()
        # The loop takes the longer one first, which turns the order of shifts.
        backwards = first.size < second.size
        if backwards:
            first, second = second, first
        sums = correlate_vectors(first, second, mode)
        if sums is not None:
            return sums[::-1].copy() if backwards else sums
    return call(_np.correlate, (a, v, mode), {})


@native(_np.convolve)
def convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    pair = _vectors(a, v, mode)
    if pair is not None:
        first, second = pair if pair[0].size >= pair[1].size else pair[::-1]
        sums = correlate_vectors(first, second[::-1], mode)
        if sums is not None:
            return sums
    return call(_np.convolve, (a, v, mode), {})
