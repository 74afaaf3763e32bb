"""Padding: a larger array with the original in its middle; the borders are filled axis by axis."""

from __future__ import annotations

from typing import Any

import numpy as _np

from fastnp._fallback.call import call
from fastnp._fallback.registry import native
from fastnp._fastnp import empty, ndarray
from fastnp._functions.creation import linspace

_Widths = list[tuple[int, int]]


def _widths(pad_width: Any, ndim: int) -> _Widths | None:
    """(before, after) of every axis; None to leave the argument to NumPy."""
    if type(pad_width) is int:
        return None if pad_width < 0 else [(pad_width, pad_width)] * ndim
    if type(pad_width) not in (tuple, list):
        return None
    if all(type(part) is int for part in pad_width) and len(pad_width) in (1, 2):
        pairs = [(pad_width[0], pad_width[-1])] * ndim
    elif all(type(part) in (tuple, list) and len(part) in (1, 2) for part in pad_width):
        pairs = [(part[0], part[-1]) for part in pad_width]
        if len(pairs) == 1:
            pairs *= ndim
    else:
        return None
    valid = all(type(width) is int and width >= 0 for pair in pairs for width in pair)
    return pairs if valid and len(pairs) == ndim else None


@native(_np.pad)
def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    widths = _widths(pad_width, array.ndim) if type(array) is ndarray else None
    fill = _FILLS.get(mode) if type(mode) is str else None
    covered = not kwargs or (mode == "constant" and _is_number(kwargs.get("constant_values")))
    if widths is None or fill is None or not covered or len(kwargs) > 1 or array.size == 0:
        return call(_np.pad, (array, pad_width, mode), kwargs)
    if mode == "linear_ramp" and array.ndim != 1:
        return call(_np.pad, (array, pad_width, mode), kwargs)
    if mode in _EXCLUDED and not _without_repeats(array.shape, widths, _EXCLUDED[mode]):
        return call(_np.pad, (array, pad_width, mode), kwargs)
    shape = [n + before + after for n, (before, after) in zip(array.shape, widths, strict=True)]
    order = "F" if array.flags.fnc else "C"
    padded = empty(tuple(shape), array.dtype, order)
    middle = tuple(
        slice(before, before + n) for n, (before, _) in zip(array.shape, widths, strict=True)
    )
    padded[middle] = array
    for axis, (before, after) in enumerate(widths):
        # Earlier axes are filled over their whole extent, later ones only in the middle.
        region = padded[(*(slice(None),) * axis, slice(None), *middle[axis + 1 :])]
        region = region if axis == 0 else region.swapaxes(0, axis)
        fill(region, before, array.shape[axis], after, kwargs)
    return padded


def _is_number(value: Any) -> bool:
    return type(value) in (int, float, bool, complex) or isinstance(value, _np.generic)


# Elements of an axis that a border does not take: `reflect` does not repeat the edge.
_EXCLUDED = {"reflect": 1, "symmetric": 0, "wrap": 0}


def _without_repeats(shape: tuple[int, ...], widths: _Widths, excluded: int) -> bool:
    """Whether no border is longer than the original; NumPy repeats the original for longer ones."""
    return all(max(pair) <= n - excluded for n, pair in zip(shape, widths, strict=True))


def _constant(x: Any, before: int, n: int, after: int, kwargs: dict[str, Any]) -> None:
    value = kwargs.get("constant_values", 0)
    if before:
        x[:before] = value
    if after:
        x[before + n :] = value


def _edge(x: Any, before: int, n: int, after: int, kwargs: dict[str, Any]) -> None:
    if before:
        x[:before] = x[before : before + 1]
    if after:
        x[before + n :] = x[before + n - 1 : before + n]


def _reflect(x: Any, before: int, n: int, after: int, kwargs: dict[str, Any]) -> None:
    if before:
        x[:before] = x[2 * before : before : -1]
    if after:
        last = before + n - 1
        x[last + 1 :] = x[last - after : last][::-1]


def _symmetric(x: Any, before: int, n: int, after: int, kwargs: dict[str, Any]) -> None:
    if before:
        x[:before] = x[before : 2 * before][::-1]
    if after:
        end = before + n
        x[end:] = x[end - after : end][::-1]


def _wrap(x: Any, before: int, n: int, after: int, kwargs: dict[str, Any]) -> None:
    if before:
        x[:before] = x[n : n + before]
    if after:
        x[before + n :] = x[before : before + after]


def _linear_ramp(x: Any, before: int, n: int, after: int, kwargs: dict[str, Any]) -> None:
    """From zero to the edge; only of vectors, where NumPy's `linspace` takes numbers."""
    if before:
        x[:before] = linspace(0, x[before], before, endpoint=False, dtype=x.dtype)
    if after:
        edge = x[before + n - 1]
        x[before + n :] = linspace(0, edge, after, endpoint=False, dtype=x.dtype)[::-1]


def _statistic(method: str) -> Any:
    """The fill by a statistic of the original along the axis."""

    def fill(x: Any, before: int, n: int, after: int, kwargs: dict[str, Any]) -> None:
        value = getattr(x[before : before + n], method)(axis=0, keepdims=True)
        if method == "mean" and x.dtype.kind in "iu":
            value = value.round()
        x[:before] = value
        x[before + n :] = value

    return fill


def _empty(x: Any, before: int, n: int, after: int, kwargs: dict[str, Any]) -> None:
    pass


_FILLS = {
    "constant": _constant,
    "edge": _edge,
    "reflect": _reflect,
    "symmetric": _symmetric,
    "wrap": _wrap,
    "empty": _empty,
    "linear_ramp": _linear_ramp,
    "maximum": _statistic("max"),
    "mean": _statistic("mean"),
    "minimum": _statistic("min"),
}
