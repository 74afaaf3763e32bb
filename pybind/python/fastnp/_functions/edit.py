"""Arrays with elements left out, put in or repeated: new arrays, filled slice by slice."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as _np

from fastnp._fallback.call import call
from fastnp._fallback.registry import native
from fastnp._fastnp import arange, asarray, concatenate, empty, ndarray, ones, zeros

_INTEGERS = (int, _np.int64)


def _along(arr: Any, axis: Any) -> tuple[Any, int] | None:
    """The array and the axis, or the flattened array; None for an axis that NumPy refuses."""
    if type(arr) is not ndarray:
        return None
    if axis is None:
        return (arr if arr.ndim == 1 else arr.ravel()), 0
    if type(axis) is not int or not -arr.ndim <= axis < arr.ndim:
        return None
    return arr, axis % arr.ndim


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


@native(_np.delete)
def delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    found = _along(arr, axis)
    if found is not None:
        new = _deleted(*found, obj)
        if new is not None:
            return new
    return call(_np.delete, (arr, obj, axis), {})


def _deleted(arr: Any, axis: int, obj: Any) -> Any:
    """`delete` along an axis; None for what NumPy refuses."""
    n = arr.shape[axis]
    if type(obj) is slice:
        deleted = range(n)[obj]
        if len(deleted) == 0:
            return arr.copy(order="F" if arr.flags.fnc else "C")
        if abs(deleted.step) == 1:
            return _without(arr, axis, min(deleted), max(deleted) + 1)
        keep = ones(n, bool)
        keep[obj] = False
        kept = (slice(None), _kept(arr, axis, keep))
        return _filled(arr, axis, n - len(deleted), [kept])
    if type(obj) not in _INTEGERS:
        positions = asarray(obj, dtype=_np.intp) if type(obj) is list and not obj else asarray(obj)
        if type(positions) is not ndarray or positions.dtype.kind not in "uib":
            return None
        if positions.dtype.kind == "b":
            return _kept(arr, axis, ~positions) if positions.shape == (n,) else None
        if positions.size != 1:
            keep = ones(n, bool)
            keep[positions,] = False
            return _kept(arr, axis, keep)
        obj = positions.item()
    if not -n <= obj < n:
        return None
    return _without(arr, axis, obj % n, obj % n + 1)


def _kept(arr: Any, axis: int, keep: Any) -> Any:
    return arr[_at(axis, keep)]


@native(_np.insert)
def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    found = _along(arr, axis)
    if found is not None:
        new = _inserted(*found, obj, values)
        if new is not None:
            return new
    return call(_np.insert, (arr, obj, values, axis), {})


def _inserted(arr: Any, axis: int, obj: Any, values: Any) -> Any:
    """`insert` along an axis; None for what NumPy refuses."""
    n = arr.shape[axis]
    if type(obj) is slice:
        obj = list(range(n)[obj])
    if type(obj) in _INTEGERS:
        return _inserted_at(arr, axis, obj, values, is_alone=True)
    positions = asarray(obj, dtype=_np.intp) if type(obj) is list and not obj else asarray(obj)
    if type(positions) is not ndarray or positions.ndim > 1:
        return None
    if positions.dtype.kind == "b" and positions.ndim == 1:
        positions = positions.nonzero()[0]
    if positions.dtype.kind not in "ui":
        return None
    if positions.size == 1:
        return _inserted_at(arr, axis, positions.item(), values, is_alone=positions.ndim == 0)
    positions = positions.astype(_np.intp)
    positions[positions < 0] += n
    if (positions[1:] >= positions[:-1]).all():
        positions += arange(len(positions))
    else:
        positions[positions.argsort(kind="stable")] += arange(len(positions))
    length = n + len(positions)
    old = ones(length, bool)
    old[positions] = False
    return _filled(arr, axis, length, [(positions, values), (old, arr)])


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
