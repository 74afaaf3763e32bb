"""Counting, histograms, positions in sorted arrays, and interpolation between points.

The extension's loops take integers and floats of up to double precision; what they refuse runs in
NumPy, which also raises the errors.
"""

from __future__ import annotations

from typing import Any

import numpy as _np

from fastnp._fallback.call import call
from fastnp._fallback.registry import native
from fastnp._fastnp import (
    asarray,
    count_numbers,
    even_histogram,
    interpolate,
    ndarray,
    search_sorted,
)
from fastnp._functions.creation import linspace
from fastnp._functions.difference import diff

_NUMBERS = (int, float, _np.float64, _np.int64)


@native(_np.bincount)
def bincount(x: Any, /, weights: Any = None, minlength: Any = 0) -> Any:
    ours = type(x) is ndarray or type(weights) is ndarray
    if ours and type(minlength) is int and minlength >= 0:
        counts = count_numbers(x, weights, minlength)
        if counts is not None:
            return counts
    return call(_np.bincount, (x,), {"weights": weights, "minlength": minlength})


def _positions(a: Any, v: Any, is_right: bool) -> Any:
    """What `searchsorted` returns; None for what the extension does not take."""
    if type(v) is ndarray:
        found = search_sorted(a, v, is_right)
        return found if found is None or found.ndim else found[()]
    if type(a) is not ndarray:
        return None
    if type(v) in _NUMBERS:
        found = search_sorted(a, [v], is_right)
        return None if found is None else found[0]
    found = search_sorted(a, v, is_right)
    return found if found is None or found.ndim else found[()]


@native(_np.searchsorted)
def searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    if sorter is None and side in ("left", "right"):
        found = _positions(a, v, side == "right")
        if found is not None:
            return found
    return call(_np.searchsorted, (a, v), {"side": side, "sorter": sorter})


@native(_np.digitize)
def digitize(x: Any, bins: Any, right: Any = False) -> Any:
    ours = type(bins) is ndarray or (type(x) is ndarray and type(bins) in (list, tuple))
    edges = asarray(bins) if ours else None
    if type(edges) is ndarray and edges.ndim == 1 and edges.dtype.kind in "biuf":
        if (edges[1:] >= edges[:-1]).all():
            found = _positions(edges, x, not right)
        elif (edges[1:] <= edges[:-1]).all():
            found = _positions(edges[::-1], x, not right)
            found = None if found is None else edges.size - found
        else:
            found = None
        if found is not None:
            return found
    return call(_np.digitize, (x, bins, right), {})


@native(_np.interp)
def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    plain = (left is None or type(left) in _NUMBERS) and (right is None or type(right) in _NUMBERS)
    ours = type(x) is ndarray or type(xp) is ndarray or type(fp) is ndarray
    if period is None and plain and ours:
        is_number = type(x) in _NUMBERS
        y = interpolate([x] if is_number else x, xp, fp, left, right)
        if y is not None:
            return y[0] if is_number else y if y.ndim else y[()]
    return call(_np.interp, (x, xp, fp, left, right, period), {})


@native(_np.histogram)
def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    found = None
    if type(a) is ndarray and weights is None and a.dtype.char in "lqid":
        if type(bins) is int and bins > 0:
            found = _even_histogram(a, bins, range)
        elif type(bins) in (ndarray, list, tuple):
            found = _histogram_of_edges(a, asarray(bins))
    if found is None:
        return call(_np.histogram, (a, bins, range, density, weights), {})
    counts, edges = found
    if density:
        return counts / diff(edges) / counts.sum(), edges
    return counts, edges


def _even_histogram(a: Any, bins: int, range: Any) -> tuple[Any, Any] | None:
    """Counts in bins of equal width, and their edges; None for what NumPy refuses."""
    if range is not None:
        if type(range) not in (tuple, list) or not all(type(end) in _NUMBERS for end in range):
            return None
        if len(range) != 2:
            return None
        first, last = range
    elif a.size == 0:
        first, last = 0, 1
    else:
        first, last = a.min(), a.max()
    if first > last or not (_np.isfinite(first) and _np.isfinite(last)):
        return None
    if first == last:
        first, last = first - 0.5, last + 0.5
    edges = linspace(first, last, bins + 1, dtype="d")
    if (edges[:-1] >= edges[1:]).any():
        return None
    counts = even_histogram(a if a.dtype.char == "d" else a.astype("d"), edges)
    return None if counts is None else (counts, edges)


def _histogram_of_edges(a: Any, edges: Any) -> tuple[Any, Any] | None:
    """Counts between edges, the last one included; None for what NumPy refuses."""
    if type(edges) is not ndarray or edges.ndim != 1 or edges.size < 2:
        return None
    if edges.dtype.char not in "lqid" or (edges[:-1] > edges[1:]).any():
        return None
    at = search_sorted(edges, a.ravel(), True)
    counts = None if at is None else count_numbers(at, None, edges.size + 1)
    if counts is None:
        return None
    inside = counts[1 : edges.size].copy()
    inside[-1] += (a == edges[-1]).sum()
    return inside, edges
