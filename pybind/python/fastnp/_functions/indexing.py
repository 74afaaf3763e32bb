"""Functions that read or write elements selected by index arrays, masks or conditions."""

from __future__ import annotations

from typing import Any

import numpy as _np
from numpy.lib.array_utils import normalize_axis_index

from fastnp import _fastnp
from fastnp._fallback.call import call
from fastnp._fallback.override import array_function_of
from fastnp._fallback.registry import dispatch_method, native
from fastnp._fastnp import arange, asarray, ndarray, where, zeros_like

# `choose` between more arrays than this is faster in NumPy, as each one takes a pass of `where`
# here.
MAX_CHOICES = 8
_NUMBERS = (int, float, complex)


@native(_np.take)
def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise") -> Any:
    if type(a) is ndarray:
        if out is None and mode == "raise":
            return a.take(indices, axis)
        return a.take(indices, axis, out, mode)
    return dispatch_method(_np.take, "take", a, (indices, axis, out, mode), {})


@native(_np.put)
def put(a: Any, ind: Any, v: Any, mode: Any = "raise") -> Any:
    if type(a) is ndarray and array_function_of(ind) is None and array_function_of(v) is None:
        return a.put(ind, v, mode)
    # NumPy rejects lists, as `put` writes to its argument.
    return call(_np.put, (a, ind, v, mode), {})


@native(_np.nonzero)
def nonzero(a: Any) -> Any:
    return a.nonzero() if type(a) is ndarray else dispatch_method(_np.nonzero, "nonzero", a, (), {})


@native(_np.flatnonzero)
def flatnonzero(a: Any) -> Any:
    if type(a) is ndarray:
        return a.ravel().nonzero()[0]
    return call(_np.flatnonzero, (a,), {})


# The extension's common calls take arrays of ours.
@native(_np.putmask, few=0)
def putmask(a: Any, /, mask: Any, values: Any) -> Any:
    return call(_np.putmask, (a, mask, values), {})


@native(_np.place, few=0)
def place(arr: Any, mask: Any, vals: Any) -> Any:
    return call(_np.place, (arr, mask, vals), {})


@native(_np.extract)
def extract(condition: Any, arr: Any) -> Any:
    if type(arr) is ndarray and _is_mask(condition) and condition.size == arr.size:
        return arr.ravel()[condition.ravel()]
    return call(_np.extract, (condition, arr), {})


@native(_np.compress)
def compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Any:
    if type(a) is ndarray and out is None and _is_mask(condition) and condition.ndim == 1:
        flat = a.ravel() if axis is None else a
        if flat.shape == condition.shape and axis in (None, 0, -1):
            return flat[condition]
        return a.take(condition.nonzero()[0], axis)
    return call(_np.compress, (condition, a, axis, out), {})


@native(_np.take_along_axis)
def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    if _is_native(arr, indices, axis):
        return arr[_fancy_index(arr.shape, indices, axis)]
    return call(_np.take_along_axis, (arr, indices, axis), {})


@native(_np.put_along_axis)
def put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> Any:
    if not _is_native(arr, indices, axis):
        return call(_np.put_along_axis, (arr, indices, values, axis), {})
    arr[_fancy_index(arr.shape, indices, axis)] = values
    return None


@native(_np.choose, few=4_000)
def choose(a: Any, choices: Any, out: Any = None, mode: Any = "raise") -> Any:
    listed = type(choices) in (list, tuple)
    if listed and any(array_function_of(choice) is not None for choice in choices):
        return call(_np.choose, (a, choices), {"out": out, "mode": mode})
    plain = out is None and mode == "raise" and listed
    if plain and _is_integers(a):
        arrays = [asarray(choice) for choice in choices]
        alike = all(type(x) is ndarray and x.dtype == arrays[0].dtype for x in arrays)
        if alike and 1 <= len(arrays) <= MAX_CHOICES:
            shape = _np.broadcast_shapes(a.shape, *(x.shape for x in arrays))
            if a.min() >= 0 and a.max() < len(arrays):
                chosen = _fastnp.broadcast_to(arrays[0], shape).copy()
                for at, array in enumerate(arrays[1:], 1):
                    chosen = where(a == at, array, chosen)
                return chosen
    return dispatch_method(_np.choose, "choose", a, (choices,), {"out": out, "mode": mode})


@native(_np.select)
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    choices = [*choicelist, default] if type(choicelist) in (list, tuple) else []
    known = all(type(x) is ndarray or type(x) in _NUMBERS for x in choices)
    lists = type(condlist) in (list, tuple) and len(condlist) == len(choices) - 1 > 0
    if not known or not lists or not all(_is_mask(x) and x.ndim for x in condlist):
        return call(_np.select, (condlist, choicelist, default), {})
    dtype = _np.result_type(*(x.dtype if type(x) is ndarray else x for x in choices))
    # Scalars are converted to the common type: `where` of a pair alone could find another one.
    typed = [x.astype(dtype, copy=False) if type(x) is ndarray else dtype.type(x) for x in choices]
    result = typed.pop()
    for condition, choice in zip(reversed(condlist), reversed(typed), strict=True):
        result = where(condition, choice, result)
    return result


@native(_np.piecewise)
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    masks = _conditions(x, condlist, len(funclist)) if type(funclist) in (list, tuple) else None
    if masks is None:
        return call(_np.piecewise, (x, condlist, funclist, *args), kw)
    y = zeros_like(x)
    for mask, value in zip(masks, funclist, strict=True):
        if not callable(value):
            y[mask] = value
            continue
        selected = x[mask]
        if selected.size > 0:
            y[mask] = value(selected, *args, **kw)
    return y


def _conditions(x: Any, condlist: Any, count: int) -> list[Any] | None:
    """The masks of `piecewise`, with that of all other elements if one is missing; None for what
    NumPy has to read.
    """
    if type(x) is not ndarray or x.ndim == 0:
        return None
    if type(condlist) is ndarray and condlist.ndim:
        # One condition need not be in a list.
        condlist = [condlist] if condlist.ndim == 1 and condlist.size else list(condlist)
    if type(condlist) is not list or not condlist:
        return None
    if not all(_is_mask(mask) and mask.shape == x.shape for mask in condlist):
        return None
    if len(condlist) == count - 1:
        some = condlist[0]
        for mask in condlist[1:]:
            some = some | mask
        return [*condlist, ~some]
    return condlist if len(condlist) == count else None


@native(_np.fill_diagonal, few=400)
def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> Any:
    plain = type(a) is ndarray and a.ndim == 2 and a.flags.c_contiguous and a.flags.writeable
    if not plain or wrap or type(val) not in _NUMBERS:
        return call(_np.fill_diagonal, (a, val, wrap), {})
    columns = a.shape[1]
    # The diagonal is one strided slice of the flattened matrix.
    a.reshape(-1)[: columns * columns : columns + 1] = val
    return None


def _is_mask(value: Any) -> bool:
    return type(value) is ndarray and value.dtype == bool


def _is_integers(value: Any) -> bool:
    return type(value) is ndarray and value.dtype.kind in "iu"


def _is_native(arr: Any, indices: Any, axis: Any) -> bool:
    """Whether indices along an axis are valid arrays of ours; NumPy raises the errors."""
    return (
        type(arr) is ndarray
        and _is_integers(indices)
        and type(axis) is int
        and arr.ndim == indices.ndim
        and -arr.ndim <= axis < arr.ndim
    )


def _fancy_index(shape: tuple[int, ...], indices: Any, axis: int) -> tuple[Any, ...]:
    """The fancy index with `indices` on the axis, and on every other axis its own range."""
    ndim = len(shape)
    axis = normalize_axis_index(axis, ndim)
    return tuple(
        indices if at == axis else arange(n).reshape([-1 if at == i else 1 for i in range(ndim)])
        for at, n in enumerate(shape)
    )
