"""Functions that return views: another shape, axis order, direction or extent of the same memory,
and its parts.
"""

from __future__ import annotations

from typing import Any

import numpy as _np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from fastnp import _fastnp
from fastnp._fallback.call import MAX_DIMENSIONS, call
from fastnp._fallback.registry import dispatch_method, native
from fastnp._fastnp import asanyarray, asarray, concatenate, ndarray, to_numpy


def _shared(a: Any) -> Any:
    """An array of ours on the memory of NumPy's array, if its type is native; else `a`."""
    return asarray(a) if type(a) is _np.ndarray else a


@native(_np.reshape)
def reshape(a: Any, /, shape: Any, order: Any = "C", *, copy: Any = None) -> Any:
    if copy is not None:
        return dispatch_method(_np.reshape, "reshape", a, (shape,), {"order": order, "copy": copy})
    if type(a) is ndarray or type(a := _shared(a)) is ndarray:
        return a.reshape(shape) if order == "C" else a.reshape(shape, order=order)
    return dispatch_method(_np.reshape, "reshape", a, (shape,), {"order": order})


@native(_np.transpose)
def transpose(a: Any, axes: Any = None) -> Any:
    if type(a) is ndarray or type(a := _shared(a)) is ndarray:
        return a.T if axes is None else a.transpose(axes)
    return dispatch_method(_np.transpose, "transpose", a, (axes,), {})


@native(_np.ravel)
def ravel(a: Any, order: Any = "C") -> Any:
    if type(a) is ndarray or type(a := _shared(a)) is ndarray:
        return a.ravel(order)
    return dispatch_method(_np.ravel, "ravel", a, (order,), {})


@native(_np.squeeze)
def squeeze(a: Any, axis: Any = None) -> Any:
    if type(a) is ndarray or type(a := _shared(a)) is ndarray:
        return a.squeeze() if axis is None else a.squeeze(axis)
    return dispatch_method(_np.squeeze, "squeeze", a, (axis,), {})


@native(_np.expand_dims)
def expand_dims(a: Any, axis: Any) -> Any:
    if type(a) is not ndarray or a.ndim >= MAX_DIMENSIONS:
        return call(_np.expand_dims, (a, axis), {})
    axes = axis if type(axis) in (tuple, list) else (axis,)
    ndim = len(axes) + a.ndim
    new = normalize_axis_tuple(axes, ndim)
    if not new:
        return a.view()
    # Indexing with newaxis is a view for any strides.
    return a[tuple([None if at in new else slice(None) for at in range(ndim)])]


@native(_np.swapaxes)
def swapaxes(a: Any, axis1: Any, axis2: Any) -> Any:
    if type(a) is ndarray:
        return a.swapaxes(axis1, axis2)
    return dispatch_method(_np.swapaxes, "swapaxes", a, (axis1, axis2), {})


@native(_np.moveaxis)
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    if type(a) is not ndarray:
        return call(_np.moveaxis, (a, source, destination), {})
    if type(source) is type(destination) is int:
        # One axis: the common call.
        axes = list(range(a.ndim))
        axis = axes.pop(normalize_axis_index(source, a.ndim, "source"))
        axes.insert(normalize_axis_index(destination, a.ndim, "destination"), axis)
        return a.transpose(axes)
    froms = normalize_axis_tuple(source, a.ndim, "source")
    tos = normalize_axis_tuple(destination, a.ndim, "destination")
    if len(froms) != len(tos):
        raise ValueError(
            "`source` and `destination` arguments must have the same number of elements"
        )
    order = [axis for axis in range(a.ndim) if axis not in froms]
    for to, source_axis in sorted(zip(tos, froms, strict=True)):
        order.insert(to, source_axis)
    return a.transpose(order)


@native(_np.rollaxis)
def rollaxis(a: Any, axis: Any, start: Any = 0) -> Any:
    if type(a) is not ndarray:
        return call(_np.rollaxis, (a, axis, start), {})
    ndim = a.ndim
    axis = normalize_axis_index(axis, ndim)
    given = start
    if start < 0:
        start += ndim
    if not 0 <= start < ndim + 1:
        raise _np.exceptions.AxisError(
            f"'start' arg requires {-ndim} <= start < {ndim + 1}, but {given} was passed in"
        )
    if axis < start:
        start -= 1
    if axis == start:
        return a[...]
    axes = list(range(ndim))
    axes.remove(axis)
    axes.insert(start, axis)
    return a.transpose(axes)


@native(_np.matrix_transpose)
def matrix_transpose(x: Any, /) -> Any:
    if type(x) is not ndarray or x.ndim < 2:
        return call(_np.matrix_transpose, (x,), {})
    return x.swapaxes(-1, -2)


@native(_np.broadcast_to)
def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Any:
    if type(array) is not ndarray:
        return call(_np.broadcast_to, (array, shape), {"subok": subok})
    wanted = tuple(shape) if _np.iterable(shape) else (shape,)
    if wanted == array.shape or not _fits(array.shape, wanted):
        # NumPy returns a read-only view also for equal shapes, and raises the errors.
        return call(_np.broadcast_to, (array, shape), {"subok": subok})
    return _fastnp.broadcast_to(array, wanted)


def _fits(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    added = len(wanted) - len(shape)
    return added >= 0 and all(
        have in (1, want) for have, want in zip(shape, wanted[added:], strict=True)
    )


@native(_np.broadcast_arrays)
def broadcast_arrays(*args: Any, subok: bool = False) -> Any:
    if not any(type(x) is ndarray for x in args):
        return call(_np.broadcast_arrays, args, {"subok": subok})
    arrays = [asanyarray(x) for x in args]
    if not all(type(x) is ndarray for x in arrays):
        return call(_np.broadcast_arrays, args, {"subok": subok})
    shape = _np.broadcast_shapes(*(x.shape for x in arrays))
    return tuple(x if x.shape == shape else _fastnp.broadcast_to(x, shape) for x in arrays)


def _at_least(ndim: int, original: Any, arys: tuple[Any, ...]) -> Any:
    found = []
    for value in arys:
        x = asanyarray(value)
        if type(x) is not ndarray:
            return call(original, arys, {})
        if x.ndim < ndim:
            if x.ndim == 0:
                x = x.reshape((1,) * ndim)
            elif ndim == 2:
                x = x[None, :]
            elif x.ndim == 1:
                x = x[None, :, None]
            else:
                x = x[:, :, None]
        found.append(x)
    return found[0] if len(found) == 1 else tuple(found)


@native(_np.atleast_1d, few=0)
def atleast_1d(*arys: Any) -> Any:
    if len(arys) == 1:
        x = asanyarray(arys[0])
        if type(x) is ndarray and x.ndim >= 1:
            return x
    return _at_least(1, _np.atleast_1d, arys)


@native(_np.atleast_2d)
def atleast_2d(*arys: Any) -> Any:
    if len(arys) == 1:
        x = asanyarray(arys[0])
        if type(x) is ndarray and x.ndim >= 1:
            return x if x.ndim > 1 else x[None]
    return _at_least(2, _np.atleast_2d, arys)


@native(_np.atleast_3d)
def atleast_3d(*arys: Any) -> Any:
    return _at_least(3, _np.atleast_3d, arys)


_REVERSED = slice(None, None, -1)
_ALL = slice(None)


@native(_np.flip)
def flip(m: Any, axis: Any = None) -> Any:
    if type(m) is not ndarray:
        return call(_np.flip, (m, axis), {})
    if axis is None:
        return m[(_REVERSED,) * m.ndim]
    axes = normalize_axis_tuple(axis, m.ndim)
    return m[tuple([_REVERSED if at in axes else _ALL for at in range(m.ndim)])]


@native(_np.flipud)
def flipud(m: Any) -> Any:
    if type(m) is not ndarray:
        return call(_np.flipud, (m,), {})
    if m.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return m[::-1]


@native(_np.fliplr)
def fliplr(m: Any) -> Any:
    if type(m) is not ndarray:
        return call(_np.fliplr, (m,), {})
    if m.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return m[:, ::-1]


@native(_np.rot90)
def rot90(m: Any, k: Any = 1, axes: Any = (0, 1)) -> Any:
    if type(m) is not ndarray or len(axes) != 2 or type(k) is not int:
        return call(_np.rot90, (m,), {"k": k, "axes": axes})
    first, second = axes
    if first == second or abs(first - second) == m.ndim:
        raise ValueError("Axes must be different.")
    if not (-m.ndim <= first < m.ndim and -m.ndim <= second < m.ndim):
        raise ValueError(f"Axes={tuple(axes)} out of range for array of ndim={m.ndim}.")
    k %= 4
    if k == 0:
        return m[...]
    if k == 2:
        return flip(flip(m, first), second)
    if k == 1:
        return flip(m, second).swapaxes(first, second)
    return flip(m.swapaxes(first, second), second)


@native(_np.ndim)
def ndim(a: Any) -> int:
    return a.ndim if type(a) is ndarray else _np.ndim(a)


@native(_np.shape)
def shape(a: Any) -> tuple[int, ...]:
    return a.shape if type(a) is ndarray else _np.shape(a)


@native(_np.size)
def size(a: Any, axis: Any = None) -> Any:
    if type(a) is not ndarray:
        return _np.size(a) if axis is None else _np.size(a, axis)
    if axis is None:
        return a.size
    if type(axis) is int and -a.ndim <= axis < a.ndim:
        return a.shape[axis]
    # Several axes from NumPy 2.4 on, and the errors.
    return _np.size(to_numpy(a), axis)


def _sections(a: Any, boundaries: list[Any], axis: int) -> list[Any]:
    before = (_ALL,) * (axis if axis >= 0 else axis + a.ndim)
    return [
        a[(*before, slice(start, end))]
        for start, end in zip([0, *boundaries], [*boundaries, None], strict=True)
    ]


def _boundaries(total: int, sections: Any) -> list[int] | None:
    """The indices between parts of an axis: `sections` parts, the longer ones first, or the given
    indices. None to fall back to NumPy.
    """
    if isinstance(sections, (int, _np.integer)):
        if sections <= 0:
            return None
        each, longer = divmod(total, int(sections))
        return [at * each + min(at, longer) for at in range(1, int(sections))]
    if type(sections) is ndarray:
        return sections.tolist() if sections.ndim == 1 else None
    return list(sections) if type(sections) in (list, tuple) else None


@native(_np.array_split)
def array_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    if type(ary) is ndarray and type(axis) is int and -ary.ndim <= axis < ary.ndim:
        boundaries = _boundaries(ary.shape[axis], indices_or_sections)
        if boundaries is not None:
            return _sections(ary, boundaries, axis)
    return call(_np.array_split, (ary, indices_or_sections, axis), {})


@native(_np.split)
def split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    if type(ary) is ndarray and type(axis) is int and -ary.ndim <= axis < ary.ndim:
        sections = indices_or_sections
        if isinstance(sections, (int, _np.integer)) and sections and ary.shape[axis] % sections:
            raise ValueError("array split does not result in an equal division")
        boundaries = _boundaries(ary.shape[axis], sections)
        if boundaries is not None:
            return _sections(ary, boundaries, axis)
    return call(_np.split, (ary, indices_or_sections, axis), {})


@native(_np.hsplit)
def hsplit(ary: Any, indices_or_sections: Any) -> Any:
    if type(ary) is not ndarray or ary.ndim == 0:
        return call(_np.hsplit, (ary, indices_or_sections), {})
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


@native(_np.vsplit)
def vsplit(ary: Any, indices_or_sections: Any) -> Any:
    if type(ary) is not ndarray or ary.ndim < 2:
        return call(_np.vsplit, (ary, indices_or_sections), {})
    return split(ary, indices_or_sections, 0)


@native(_np.dsplit)
def dsplit(ary: Any, indices_or_sections: Any) -> Any:
    if type(ary) is not ndarray or ary.ndim < 3:
        return call(_np.dsplit, (ary, indices_or_sections), {})
    return split(ary, indices_or_sections, 2)


if hasattr(_np, "unstack"):  # new in NumPy 2.1

    @native(_np.unstack)
    def unstack(x: Any, /, *, axis: int = 0) -> Any:
        if type(x) is not ndarray or x.ndim == 0:
            return call(_np.unstack, (x,), {"axis": axis})
        return tuple(x if axis == 0 else moveaxis(x, axis, 0))


@native(_np.block)
def block(arrays: Any) -> Any:
    depth = _depth(arrays)
    leaves = _leaves(arrays) if depth else []
    if not leaves or not all(type(x) is ndarray for x in leaves):
        return call(_np.block, (arrays,), {})
    return _joined(arrays, depth, max(depth, *(x.ndim for x in leaves)))


def _depth(arrays: Any) -> int:
    """How deep lists are nested, if they are so everywhere; otherwise 0, also of an empty list."""
    if type(arrays) is not list:
        return 0
    depths = {_depth(x) if type(x) is list else 0 for x in arrays}
    lists = {type(x) is list for x in arrays}
    if len(depths) != 1 or len(lists) != 1 or (lists == {True} and depths == {0}):
        return 0
    return 1 + depths.pop()


def _leaves(arrays: Any) -> list[Any]:
    return [x for each in arrays for x in (_leaves(each) if type(each) is list else [each])]


def _joined(arrays: Any, depth: int, ndim: int) -> Any:
    """Nested lists of arrays, the innermost ones joined along the last axis."""
    if depth == 0:
        return arrays.reshape((1,) * (ndim - arrays.ndim) + arrays.shape)
    return concatenate([_joined(x, depth - 1, ndim) for x in arrays], -depth)
