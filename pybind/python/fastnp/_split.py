"""Splitting along an axis into views."""

from __future__ import annotations

from typing import Any

import numpy as _np

from fastnp._fallback import call
from fastnp._fastnp import ndarray
from fastnp._registry import native


def _cut(a: Any, places: list[Any], axis: int) -> list[Any]:
    ahead = (slice(None),) * (axis if axis >= 0 else axis + a.ndim)
    return [
        a[(*ahead, slice(start, end))]
        for start, end in zip([0, *places], [*places, None], strict=True)
    ]


def _places(total: int, sections: Any) -> list[int] | None:
    """Where to cut `total` into `sections` parts, the longer ones first, or at given indices; None
    is NumPy's.
    """
    if isinstance(sections, (int, _np.integer)):
        if sections <= 0:
            return None
        each, longer = divmod(total, int(sections))
        return [at * each + min(at, longer) for at in range(1, int(sections))]
    if type(sections) is ndarray:
        return sections.tolist()
    return list(sections)


@native(_np.array_split)
def array_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    if type(ary) is ndarray and type(axis) is int and -ary.ndim <= axis < ary.ndim:
        places = _places(ary.shape[axis], indices_or_sections)
        if places is not None:
            return _cut(ary, places, axis)
    return call(_np.array_split, (ary, indices_or_sections, axis), {})


@native(_np.split)
def split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    if type(ary) is ndarray and type(axis) is int and -ary.ndim <= axis < ary.ndim:
        sections = indices_or_sections
        if isinstance(sections, (int, _np.integer)) and sections and ary.shape[axis] % sections:
            raise ValueError("array split does not result in an equal division")
        places = _places(ary.shape[axis], sections)
        if places is not None:
            return _cut(ary, places, axis)
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
        moved = x if axis == 0 else _moved_first(x, axis)
        return tuple(moved[at, ...] for at in range(len(moved)))


def _moved_first(x: Any, axis: int) -> Any:
    from fastnp._shape import moveaxis

    return moveaxis(x, axis, 0)
