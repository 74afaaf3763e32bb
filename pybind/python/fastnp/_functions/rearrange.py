"""Tiling, repetition and rolling: a new array, filled slice by slice, so that pending operands can
fuse into the stores.
"""

from __future__ import annotations

from typing import Any

import numpy as _np
from numpy.lib.array_utils import normalize_axis_index

from fastnp._fallback.call import call
from fastnp._fallback.registry import native
from fastnp._fastnp import empty, empty_like, ndarray


@native(_np.tile)
def tile(A: Any, reps: Any) -> Any:
    counts = tuple(reps) if _np.iterable(reps) else (reps,)
    if type(A) is not ndarray or not all(type(count) is int and count >= 0 for count in counts):
        return call(_np.tile, (A, reps), {})
    ndim = max(A.ndim, len(counts))
    shape = (1,) * (ndim - A.ndim) + A.shape
    counts = (1,) * (ndim - len(counts)) + counts
    result = empty(tuple([n * count for n, count in zip(shape, counts, strict=True)]), A.dtype)
    # With an axis for the copies before each axis of the original, the result is one broadcast
    # store.
    pairs = [part for pair in zip(counts, shape, strict=True) for part in pair]
    if result.size:
        index = tuple([None, slice(None)] * ndim)
        result.reshape(pairs)[...] = A.reshape(shape)[index]
    return result


# Up to so many copies of an element are stored one after another.
_FEW = 4


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
        wide = result.reshape((*before, a.shape[axis], repeats, *after))
        if repeats <= _FEW and not after:
            # Not one store with a short inner loop, which takes four times as long.
            for at in range(repeats):
                wide[..., at] = a
        else:
            wide[...] = a[(*(slice(None),) * (axis + 1), None)]
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
    total = dict.fromkeys(range(a.ndim), 0)
    for at, by in zip(axes, shifts, strict=True):
        total[normalize_axis_index(at, a.ndim)] += int(by)
    return _rolled(a, total)


def _rolled(a: Any, shifts: dict[int, int]) -> Any:
    """`a` shifted on each axis, as one assignment for each block that does not wrap around."""
    pieces: list[tuple[tuple[slice, ...], tuple[slice, ...]]] = [((), ())]
    for axis in range(a.ndim):
        by = shifts[axis] % a.shape[axis] if a.shape[axis] else 0
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
