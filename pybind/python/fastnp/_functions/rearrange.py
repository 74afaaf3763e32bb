"""Tiling, repetition, rolling, elements left out or put in: a new array, filled slice by slice, so
that pending operands can fuse into the stores.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as _np
from numpy.lib.array_utils import normalize_axis_index

from fastnp._fallback.call import call
from fastnp._fallback.override import array_function_of
from fastnp._fallback.registry import native
from fastnp._fastnp import (
    asarray,
    broadcast_to,
    concatenate,
    empty,
    empty_like,
    inserted,
    ndarray,
    ones,
    to_numpy,
    without_positions,
    zeros,
)

_INTEGERS = (int, _np.int64)


@native(_np.tile, few=2_000)
def tile(A: Any, reps: Any) -> Any:
    counts = tuple(reps) if _np.iterable(reps) else (reps,)
    # What no copy is made of has strides of its own.
    if type(A) is not ndarray or not all(type(count) is int and count > 0 for count in counts):
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


# Up to so many copies of an element are stored one after another, if there are many elements.
_FEW = 4
_MANY = 1000


@native(_np.repeat, few=2_000)
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
        if repeats <= _FEW and not after and a.size >= _MANY:
            # Not one store with a short inner loop, which takes four times as long.
            for at in range(repeats):
                wide[..., at] = a
        else:
            wide[...] = a[(*(slice(None),) * (axis + 1), None)]
    return result


@native(_np.roll, few=0)
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    if type(a) is not ndarray:
        return call(_np.roll, (a, shift, axis), {})
    if axis is None:
        return roll(a.ravel(), shift, 0).reshape(a.shape)
    axes = tuple(axis) if type(axis) in (tuple, list) else (axis,)
    shifts = tuple(shift) if type(shift) in (tuple, list) else (shift,)
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


def along(arr: Any, axis: Any) -> tuple[Any, int] | None:
    """The array and the axis, or the flattened array and 0; None for an axis that NumPy refuses."""
    if type(arr) is not ndarray:
        return None
    if axis is None:
        return (arr if arr.ndim == 1 else arr.ravel()), 0
    if type(axis) not in _INTEGERS or not -arr.ndim <= axis < arr.ndim:
        return None
    return arr, int(axis) % arr.ndim


def _filled(arr: Any, axis: int, length: int, pieces: list[tuple[slice, Any]]) -> Any:
    """A new array of this length along the axis, in the order of `arr`, with pieces assigned."""
    shape = (*arr.shape[:axis], length, *arr.shape[axis + 1 :])
    new = empty(shape, arr.dtype, "F" if arr.flags.fnc else "C")
    for place, values in pieces:
        new[_at(axis, place)] = values
    return new


def _at(axis: int, part: Any) -> tuple[Any, ...]:
    """The index of a part along an axis."""
    return (*(slice(None),) * axis, part)


def _without(arr: Any, axis: int, start: int, stop: int) -> Any:
    """The array without a range along an axis."""
    n = arr.shape[axis]
    before = (slice(0, start), arr[_at(axis, slice(0, start))])
    after = (slice(start, None), arr[_at(axis, slice(stop, n))])
    return _filled(arr, axis, n - (stop - start), [before, after])


@native(_np.delete, few=2_000)
def delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    found = along(arr, axis)
    if found is not None and array_function_of(obj) is None:
        new = _deleted(*found, obj)
        if new is not None:
            return new
    return call(_np.delete, (arr, obj, axis), {})


def _deleted(arr: Any, axis: int, obj: Any) -> Any:
    """`delete`; None for what NumPy refuses."""
    n = arr.shape[axis]
    if type(obj) is slice:
        deleted = range(n)[obj]
        if len(deleted) == 0:
            return arr.copy(order="F" if arr.flags.fnc else "C")
        if deleted.step < 0:
            deleted = deleted[::-1]
        if deleted.step == 1:
            return _without(arr, axis, deleted[0], deleted[-1] + 1)
        return _without_every(arr, axis, deleted)
    if type(obj) not in _INTEGERS:
        positions = zeros(0, int) if _is_empty(obj) else asarray(obj)
        if type(positions) is not ndarray or positions.dtype.kind not in "uib":
            return None
        if positions.dtype.kind == "b":
            return arr[_at(axis, ~positions)] if positions.shape == (n,) else None
        if positions.size != 1:
            return _without_positions(arr, axis, positions)
        obj = positions.item()
    if not -n <= obj < n:
        return None
    return _without(arr, axis, obj % n, obj % n + 1)


def _is_empty(obj: Any) -> bool:
    """Whether it is a sequence without items, which counts as one of positions."""
    return type(obj) in (list, tuple) and not obj


def _without_every(arr: Any, axis: int, deleted: range) -> Any:
    """The array without positions at equal steps along an axis: those between two of them are as
    many each time, so they are one assignment.
    """
    n, step, periods = arr.shape[axis], deleted.step, len(deleted) - 1
    first, last = deleted[0], deleted[-1]
    new = _filled(
        arr,
        axis,
        n - len(deleted),
        [
            (slice(0, first), arr[_at(axis, slice(0, first))]),
            (slice(last - periods, None), arr[_at(axis, slice(last + 1, n))]),
        ],
    )
    between = new[_at(axis, slice(first, last - periods))]
    source = arr[_at(axis, slice(first, last))]
    before, after = arr.shape[:axis], arr.shape[axis + 1 :]
    between = between.reshape((*before, periods, step - 1, *after))
    source = source.reshape((*before, periods, step, *after))
    if step <= _FEW and arr.size >= _MANY:
        # Not one assignment with a short inner loop, as in `repeat`.
        for at in range(1, step):
            between[_at(axis + 1, at - 1)] = source[_at(axis + 1, at)]
    else:
        between[...] = source[_at(axis + 1, slice(1, None))]
    return new


def _without_positions(arr: Any, axis: int, positions: Any) -> Any:
    """The array without positions along an axis, each of which may be named several times."""
    n = arr.shape[axis]
    positions = positions.ravel().astype(_np.int64)
    if arr.ndim == 1:
        new = without_positions(arr, positions)
        if new is not None:
            return new
    if positions.size and not (-n <= positions.min() and positions.max() < n):
        return None
    kept = ones(n, bool)
    kept[positions] = False
    return arr[_at(axis, kept)]


@native(_np.insert, few=2_000)
def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    found = along(arr, axis)
    if found is not None and array_function_of(obj) is None and array_function_of(values) is None:
        new = _inserted(*found, obj, values)
        if new is not None:
            return new
    return call(_np.insert, (arr, obj, values, axis), {})


def _inserted(arr: Any, axis: int, obj: Any, values: Any) -> Any:
    """`insert`; None for what NumPy refuses, and for negative positions beyond the first."""
    n = arr.shape[axis]
    if type(obj) in _INTEGERS:
        return _inserted_at(arr, axis, obj, values, is_alone=True)
    if type(obj) is slice:
        positions: Any = _np.arange(*obj.indices(n))
    else:
        given = zeros(0, int) if _is_empty(obj) else asarray(obj)
        # Of a list of bools NumPy asks the number of axes, which it does not have.
        kinds = "uib" if type(obj) is ndarray else "ui"
        if type(given) is not ndarray or given.ndim > 1 or given.dtype.kind not in kinds:
            return None
        positions = to_numpy(given)
        if given.dtype.kind == "b":
            if given.ndim != 1:
                return None
            positions = positions.nonzero()[0]
    if positions.size == 1:
        return _inserted_at(arr, axis, positions.item(), values, is_alone=positions.ndim == 0)
    return _inserted_before(arr, axis, positions, values)


def _inserted_before(arr: Any, axis: int, positions: Any, values: Any) -> Any:
    """Values inserted before several positions, one for each or one for all."""
    n, count = arr.shape[axis], positions.size
    if count and not (-n <= positions.min() and positions.max() <= n):
        return None
    # NumPy adds signed integers to the positions, in their type: sums in a small one may wrap.
    if positions.dtype.kind == "u" or n + count > _np.iinfo(positions.dtype).max:
        return None
    shape = (*arr.shape[:axis], count, *arr.shape[axis + 1 :])
    values = asarray(values, dtype=arr.dtype)
    if type(values) is not ndarray:
        return None
    while values.ndim > arr.ndim and values.shape[0] == 1:
        values = values[0]
    lengths = zip(reversed(values.shape), reversed(shape), strict=False)
    if values.ndim > arr.ndim or not all(m in (1, length) for m, length in lengths):
        return None
    alike = (1,) * (arr.ndim - values.ndim) + values.shape
    shape = (*shape[:axis], alike[axis], *shape[axis + 1 :])
    positions, values = positions.astype(_np.int64), broadcast_to(values, shape)
    if arr.flags.fnc:
        new = inserted(arr.T, arr.ndim - 1 - axis, positions, values.T)
        return None if new is None else new.T
    return inserted(arr, axis, positions, values)


def _inserted_at(arr: Any, axis: int, at: int, values: Any, is_alone: bool) -> Any:
    """Values inserted together before one position; that of a number itself `is_alone`."""
    n = arr.shape[axis]
    if not -n <= at <= n:
        return None
    at = at + n if at < 0 else at
    values = asarray(values, dtype=arr.dtype)
    if type(values) is not ndarray:
        return None
    if values.ndim < arr.ndim:
        values = values.reshape((1,) * (arr.ndim - values.ndim) + values.shape)
    if is_alone:
        # As in `a[:, 0, :] = values`, whose axes are those without the one of the position.
        values = values.transpose(*range(1, axis + 1), 0, *range(axis + 1, values.ndim))
    more = values.shape[axis]
    before = (slice(0, at), arr[_at(axis, slice(0, at))])
    after = (slice(at + more, None), arr[_at(axis, slice(at, n))])
    return _filled(arr, axis, n + more, [before, (slice(at, at + more), values), after])


@native(_np.trim_zeros)
def trim_zeros(filt: Any, trim: Any = "fb", axis: Any = None) -> Any:
    sides = trim.lower() if type(trim) is str else ""
    plain = type(filt) is ndarray and filt.ndim == 1 and axis is None
    if not plain or sides not in ("fb", "bf", "f", "b"):
        return call(_np.trim_zeros, (filt, trim), {} if axis is None else {"axis": axis})
    found = filt.nonzero()[0]
    if found.size == 0:
        return filt[:0]
    first, last = int(found[0]), int(found[-1])
    return filt[first if "f" in sides else None : last + 1 if "b" in sides else None]


@native(_np.resize)
def resize(a: Any, new_shape: Any) -> Any:
    shape = (new_shape,) if type(new_shape) is int else new_shape
    listed = type(shape) in (tuple, list) and all(type(n) is int and n >= 0 for n in shape)
    if type(a) is not ndarray or not listed:
        return call(_np.resize, (a, new_shape), {})
    flat, size = a.ravel(), prod(shape)
    if flat.size == 0 or size == 0:
        return zeros(tuple(shape), a.dtype)
    copies = -(-size // flat.size)
    return concatenate((flat,) * copies)[:size].reshape(shape)
