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
    bins_of_numbers,
    count_numbers,
    even_histogram,
    interpolate,
    ndarray,
    search_sorted,
)
from fastnp._functions.creation import linspace
from fastnp._functions.difference import diff

_NUMBERS = (int, float, _np.float64, _np.int64)
# More bins than this are left to NumPy, which refuses a grid whose bins have no number.
_MAX_BINS = 1e9


@native(_np.bincount, few=0)
def bincount(x: Any, /, weights: Any = None, minlength: Any = 0) -> Any:
    ours = type(x) is ndarray or type(weights) is ndarray
    if ours and type(minlength) is int and minlength >= 0:
        counts = count_numbers(x, weights, minlength)
        if counts is not None:
            return counts
    return NotImplemented


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


@native(_np.searchsorted, few=0)
def searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    if sorter is None and side in ("left", "right"):
        found = _positions(a, v, side == "right")
        if found is not None:
            return found
    return call(_np.searchsorted, (a, v), {"side": side, "sorter": sorter})


@native(_np.digitize, few=0)
def digitize(x: Any, bins: Any, right: Any = False) -> Any:
    if type(bins) is ndarray or (type(x) is ndarray and type(bins) in (list, tuple)):
        is_number = type(x) in _NUMBERS
        found = bins_of_numbers([x] if is_number else x, bins, bool(right))
        if found is not None:
            return found[0] if is_number else found if found.ndim else found[()]
    return call(_np.digitize, (x, bins, right), {})


@native(_np.interp, few=0)
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


@native(_np.histogram, few=0)
def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    found = None
    if type(a) is ndarray and a.dtype.char in "lqid":
        if type(bins) is int and bins > 0 and _are_weights(weights, a):
            found = _even_histogram(a, bins, range, weights)
        elif type(bins) in (ndarray, list, tuple) and weights is None:
            found = _histogram_of_edges(a, asarray(bins))
    if found is None:
        return call(_np.histogram, (a, bins, range, density, weights), {})
    counts, edges = found
    if density:
        # Weights may cancel: NumPy adds them in its order.
        total = counts.sum() if weights is None else counts.to_numpy().sum()
        return counts / diff(edges) / total, edges
    return counts, edges


@native(_np.histogram_bin_edges)
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    if type(a) is ndarray and weights is None and a.dtype.char in "lqid":
        if type(bins) is int and bins > 0:
            ends = _outer_edges(a, range)
            if ends is not None:
                return linspace(*ends, bins + 1, dtype="d")
        elif type(bins) is ndarray and bins.ndim == 1 and not (bins[:-1] > bins[1:]).any():
            return bins
    return call(_np.histogram_bin_edges, (a, bins, range, weights), {})


def _outer_edges(a: Any, range: Any) -> tuple[Any, Any] | None:
    """Where bins of equal width begin and end; None for what NumPy refuses."""
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
    return (first - 0.5, last + 0.5) if first == last else (first, last)


def _are_weights(weights: Any, a: Any) -> bool:
    """Whether the extension adds up weights for the elements of an array, or there are none."""
    if weights is None:
        return True
    is_array = type(weights) is ndarray or type(weights) is _np.ndarray
    return is_array and weights.dtype.char in "fd" and weights.shape == a.shape


def _even_histogram(a: Any, bins: int, range: Any, weights: Any) -> tuple[Any, Any] | None:
    """Counts, or sums of weights, in bins of equal width, and their edges; None for what NumPy
    refuses.
    """
    ends = _outer_edges(a, range)
    if ends is None:
        return None
    edges = linspace(*ends, bins + 1, dtype="d")
    if (edges[:-1] >= edges[1:]).any():
        return None
    counts = even_histogram(a if a.dtype.char == "d" else a.astype("d"), edges, weights)
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


@native(_np.histogram2d)
def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    if type(x) is ndarray and type(y) is ndarray and x.ndim == y.ndim == 1 and x.size == y.size:
        several = type(bins) in (list, tuple, ndarray) and len(bins) not in (1, 2)
        pair = [asarray(bins)] * 2 if several else bins
        hist, edges = histogramdd([x, y], pair, range, density, weights)
        return hist, edges[0], edges[1]
    return call(_np.histogram2d, (x, y, bins, range, density, weights), {})


@native(_np.histogramdd)
def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    columns = _columns(sample)
    edges: Any = None if columns is None else _grid(columns, bins, range)
    counts = None if edges is None else _grid_counts(columns, edges, weights)
    if counts is None:
        return call(_np.histogramdd, (sample, bins, range, density, weights), {})
    if density:
        total = counts.sum()
        for axis, each in enumerate(edges):
            shape = [-1 if at == axis else 1 for at, _ in enumerate(edges)]
            counts = counts / diff(each).reshape(shape)
        counts /= total
    return counts, edges


def _columns(sample: Any) -> Any:
    """The coordinates of points, each as a vector; None for what is left to NumPy."""
    if type(sample) is ndarray and sample.ndim == 2:
        columns = [sample[:, at] for at, _ in enumerate(sample.T)]
    elif type(sample) in (list, tuple) and all(type(x) is ndarray for x in sample):
        columns = list(sample)
    else:
        return None
    alike = all(x.ndim == 1 and x.size == columns[0].size for x in columns)
    if not columns or not alike or not all(x.dtype.char in "lqid" for x in columns):
        return None
    return columns if len({x.dtype for x in columns}) == 1 else [x.astype("d") for x in columns]


def _grid(columns: Any, bins: Any, range: Any) -> Any:
    """The edges of bins along each axis; None for what NumPy refuses."""
    bins = [bins] * len(columns) if type(bins) is int else bins
    ranges = [None] * len(columns) if range is None else range
    listed = all(type(x) in (list, tuple) for x in (bins, ranges))
    if not listed or not len(bins) == len(ranges) == len(columns):
        return None
    edges = []
    for column, each, ends in zip(columns, bins, ranges, strict=True):
        if type(each) is int:
            ends = _outer_edges(column, ends) if each > 0 else None
            found = None if ends is None else linspace(*ends, each + 1)
        else:
            found = asarray(each) if type(each) in (ndarray, list, tuple) else None
        # NumPy takes a single edge, which makes no bin.
        if type(found) is not ndarray or found.ndim != 1 or found.size < 2:
            return None
        if found.dtype.char not in "lqid" or (found[:-1] > found[1:]).any():
            return None
        edges.append(found)
    return edges


def _grid_counts(columns: Any, edges: Any, weights: Any) -> Any:
    """How many points, or what weights, fall into each bin; None for what NumPy refuses."""
    # A bin more at each end takes the points outside.
    lengths = tuple(each.size + 1 for each in edges)
    size = _np.prod(lengths, dtype=float)
    if size > _MAX_BINS or (weights is not None and type(weights) not in (ndarray, list)):
        return None
    at: Any = 0
    for column, each, n in zip(columns, edges, lengths, strict=True):
        found = search_sorted(each, column, True)
        if found is None:
            return None
        at = at * n + (found - (column == each[-1]))
    counts = count_numbers(at, weights, int(size))
    if counts is None:
        return None
    return counts.reshape(lengths).astype("d")[(slice(1, -1),) * len(edges)]
