"""Joining and repeating: one new array, filled slice by slice so that the pieces may fuse into
their stores.
"""

from __future__ import annotations

from typing import Any

import numpy as _np
from numpy.lib.array_utils import normalize_axis_index

from fastnp._fallback import call
from fastnp._fastnp import asanyarray, concatenate, empty, empty_like, ndarray
from fastnp._registry import native
from fastnp._shape import atleast_1d, atleast_2d, atleast_3d


def _arrays(sequence: Any) -> list[Any] | None:
    """The sequence as arrays of ours, or None where NumPy is to do it: none is ours yet, or one
    cannot be.
    """
    if type(sequence) not in (list, tuple):
        # An array of ours is itself a sequence of its rows.
        if type(sequence) is not ndarray or sequence.ndim == 0:
            return None
        sequence = [sequence[at] for at in range(len(sequence))]
        return [asanyarray(x) for x in sequence]
    if not any(type(x) is ndarray for x in sequence):
        return None
    arrays = [x if type(x) is ndarray else asanyarray(x) for x in sequence]
    return arrays if all(type(x) is ndarray for x in arrays) else None


@native(_np.stack)
def stack(
    arrays: Any, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: Any = "same_kind"
) -> Any:
    found = _arrays(arrays)
    if not found:
        return call(_np.stack, (arrays, axis, out), {"dtype": dtype, "casting": casting})
    shape = found[0].shape
    if any(x.shape != shape for x in found):
        raise ValueError("all input arrays must have the same shape")
    at = normalize_axis_index(axis, len(shape) + 1)
    index = (slice(None),) * at + (None,)
    return concatenate([x[index] for x in found], at, out, dtype=dtype, casting=casting)


@native(_np.vstack)
def vstack(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    found = _arrays(tup)
    if not found:
        return call(_np.vstack, (tup,), {"dtype": dtype, "casting": casting})
    return concatenate([atleast_2d(x) for x in found], 0, dtype=dtype, casting=casting)


@native(_np.hstack)
def hstack(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    found = _arrays(tup)
    if not found:
        return call(_np.hstack, (tup,), {"dtype": dtype, "casting": casting})
    found = [atleast_1d(x) for x in found]
    return concatenate(found, 0 if found[0].ndim == 1 else 1, dtype=dtype, casting=casting)


@native(_np.dstack)
def dstack(tup: Any) -> Any:
    found = _arrays(tup)
    if not found:
        return call(_np.dstack, (tup,), {})
    return concatenate([atleast_3d(x) for x in found], 2)


@native(_np.column_stack)
def column_stack(tup: Any) -> Any:
    found = _arrays(tup)
    if not found:
        return call(_np.column_stack, (tup,), {})
    columns = [x if x.ndim >= 2 else x.reshape(-1, 1) for x in found]
    return concatenate(columns, 1)


@native(_np.append)
def append(arr: Any, values: Any, axis: Any = None) -> Any:
    found = _arrays((arr, values))
    if not found:
        return call(_np.append, (arr, values, axis), {})
    if axis is None:
        return concatenate([x.ravel() for x in found], 0)
    return concatenate(found, axis)


@native(_np.tile)
def tile(A: Any, reps: Any) -> Any:
    counts = tuple(reps) if _np.iterable(reps) else (reps,)
    if type(A) is not ndarray or not all(type(count) is int and count >= 0 for count in counts):
        return call(_np.tile, (A, reps), {})
    ndim = max(A.ndim, len(counts))
    shape = (1,) * (ndim - A.ndim) + A.shape
    counts = (1,) * (ndim - len(counts)) + counts
    result = empty(tuple([n * count for n, count in zip(shape, counts, strict=True)]), A.dtype)
    # Seen with an axis for the copies before each axis of the original, the result is one broadcast
    # store.
    pairs = [part for pair in zip(counts, shape, strict=True) for part in pair]
    if result.size:
        index = tuple([None, slice(None)] * ndim)
        result.reshape(pairs)[...] = A.reshape(shape)[index]
    return result


@native(_np.repeat)
def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    if type(a) is not ndarray or type(repeats) is not int or repeats < 0:
        return call(_np.repeat, (a, repeats, axis), {})
    if axis is None:
        a, axis = a.ravel(), 0
    axis = normalize_axis_index(axis, a.ndim)
    before, after = a.shape[:axis], a.shape[axis + 1 :]
    result = empty((*before, a.shape[axis] * repeats, *after), a.dtype)
    if result.size:
        whole = (slice(None),) * (axis + 1)
        result.reshape((*before, a.shape[axis], repeats, *after))[...] = a[(*whole, None)]
    return result


@native(_np.roll)
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    if type(a) is not ndarray:
        return call(_np.roll, (a, shift, axis), {})
    if axis is None:
        return roll(a.ravel(), shift, 0).reshape(a.shape)
    axes = axis if type(axis) is tuple else (axis,)
    shifts = shift if type(shift) is tuple else (shift,)
    if len(axes) != len(shifts):
        if len(shifts) == 1:
            shifts = shifts * len(axes)
        elif len(axes) == 1:
            axes = axes * len(shifts)
    if len(axes) != len(shifts) or not all(isinstance(s, (int, _np.integer)) for s in shifts):
        return call(_np.roll, (a, shift, axis), {})
    moved = dict.fromkeys(range(a.ndim), 0)
    for at, by in zip(axes, shifts, strict=True):
        moved[normalize_axis_index(at, a.ndim)] += int(by)
    return _rolled(a, moved)


def _rolled(a: Any, moved: dict[int, int]) -> Any:
    pieces: list[tuple[tuple[slice, ...], tuple[slice, ...]]] = [((), ())]
    for axis in range(a.ndim):
        by = moved[axis] % a.shape[axis] if a.shape[axis] else 0
        parts = [(slice(None), slice(None))]
        if by:
            parts = [(slice(None, -by), slice(by, None)), (slice(-by, None), slice(None, by))]
        pieces = [
            ((*old, source), (*new, target)) for old, new in pieces for source, target in parts
        ]
    result = empty_like(a)
    for source, target in pieces:
        result[target] = a[source]
    return result
