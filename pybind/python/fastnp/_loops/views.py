"""Views that compiled code made: objects as indexing the array gives them, of its class.

Compiled code knows of a view where it begins, its shape and its strides.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from numpy.lib.stride_tricks import as_strided

from fastnp._loops.types import COMPLEX_CHAR, SIZES, ArrayType


def rebuilt_view(root: Any, type_: ArrayType, stored: list[int]) -> object:
    """The view of an array that begins at an address; the last word is where the array begins."""
    shape = tuple(stored[1 : 1 + type_.ndim])
    strides = tuple(stored[1 + type_.ndim : -1])
    offset = stored[0] - stored[-1]
    if root.dtype.char == COMPLEX_CHAR != type_.char:
        # The real or the imaginary parts, which begin eight bytes later.
        root = root.imag if offset % SIZES[COMPLEX_CHAR] else root.real
        offset -= offset % SIZES[COMPLEX_CHAR]
    if strides == root.strides and len(strides) == 1 and strides[0] > 0:
        # A slice of a vector, which loops over rows of sparse matrices make: 1 µs instead of 9.
        first = offset // strides[0]
        found = root[first : first + shape[0]]
        if found.flags.writeable == type_.is_writeable:
            return found
    index = index_at(root, 0 if 0 in shape else offset)
    found = indexed_view(root, index, shape, strides)
    if found is not None and found.flags.writeable == type_.is_writeable:
        return found
    at_start = root[tuple(slice(first, None) for first in index)]
    return as_strided(at_start, shape, strides, writeable=type_.is_writeable)


def index_at(root: Any, offset: int) -> list[int]:
    """The indices of the element that lies so many bytes behind the first one.

    >>> import fastnp as np
    >>> index_at(np.zeros((4, 6))[:, ::-1], 48 - 2 * 8)
    [1, 2]
    """
    axes = [a for a in range(root.ndim) if root.shape[a] > 1 and root.strides[a]]
    index = [0] * root.ndim
    # Counted from the lowest address, all strides are positive.
    offset -= sum(min(root.strides[a], 0) * (root.shape[a] - 1) for a in axes)
    for axis in sorted(axes, key=lambda axis: -abs(root.strides[axis])):
        index[axis], offset = divmod(offset, abs(root.strides[axis]))
        if root.strides[axis] < 0:
            index[axis] = root.shape[axis] - 1 - index[axis]
    return index


def indexed_view(
    root: Any, index: list[int], shape: tuple[int, ...], strides: tuple[int, ...]
) -> Any:
    """A view by integers, slices, a permutation of the axes and new ones; or `None`.

    `as_strided` takes 40 µs, and makes a view of NumPy's class, also of our arrays.

    >>> import fastnp as np
    >>> x = np.zeros((4, 6))
    >>> indexed_view(x, [3, 2], (2, 1, 4), (8, 0, -48)).strides
    (8, 0, -48)
    """
    candidates: list[list[int | None]] = []
    for count, stride in zip(shape, strides, strict=True):
        fits = (a for a in range(root.ndim) if spans(root, a, index[a], count, stride))
        # First the axes that the view takes whole.
        found: list[int | None] = sorted(fits, key=lambda axis: root.shape[axis] != count)
        candidates.append(found + [None] * (count == 1 and stride == 0))
    # Of an axis of one element each stride that the array's divides is possible.
    for sources in product(*candidates):
        kept = [axis for axis in sources if axis is not None]
        if len({*kept}) < len(kept):
            continue
        view = by_axes(root, index, sources, shape, strides)
        if view is not None and view.shape == shape and view.strides == strides:
            return view
    return None


def by_axes(
    root: Any,
    index: list[int],
    sources: tuple[int | None, ...],
    shape: tuple[int, ...],
    strides: tuple[int, ...],
) -> Any:
    """The view whose axes are slices of these axes of the array, or new; `None` if one that is left
    has no elements.
    """
    items: list[int | slice] = list(index)
    for axis, count, stride in zip(sources, shape, strides, strict=True):
        if axis is not None:
            step = stride // root.strides[axis]
            end = index[axis] + count * step
            items[axis] = slice(index[axis], None if end < 0 else end, step)
    kept = [axis for axis in sources if axis is not None]
    if any(not root.shape[axis] for axis in range(root.ndim) if axis not in kept):
        return None
    found = root[(*items, ...)]
    if kept != sorted(kept):
        found = found.transpose([sorted(kept).index(axis) for axis in kept])
    if len(kept) != len(sources):
        found = found[tuple(None if axis is None else slice(None) for axis in sources)]
    return found


def spans(root: Any, axis: int, first: int, count: int, stride: int) -> bool:
    """Whether an axis of a view is a slice of this axis of the array."""
    extent, unit = root.shape[axis], root.strides[axis]
    if not unit or not stride or stride % unit:
        return False
    return 0 <= first + (count - 1) * (stride // unit) < extent or not count
