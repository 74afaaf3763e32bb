"""Padding: a larger array with the original in its middle; the borders are filled axis by axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as _np

from fastnp._fallback.call import call
from fastnp._fallback.registry import native
from fastnp._fastnp import UFUNCS, arange, empty, ndarray

_Pairs = list[tuple[Any, Any]]
# Fills the borders of `x` along its first axis, where the original has `n` elements after `before`
# others, by the option's pair for the axis.
_Fill = Callable[[Any, int, int, int, Any], None]


@native(_np.pad)
def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    widths = _widths(pad_width, array.ndim) if type(array) is ndarray else None
    fill, option, default = _FILLS.get(mode if type(mode) is str else "", (None, "", None))
    options: Any = None
    if widths is not None and fill is not None and kwargs.keys() <= {option}:
        options = _options(array, widths, mode, kwargs.get(option, default))
    if widths is None or fill is None or options is None:
        return call(_np.pad, (array, pad_width, mode), kwargs)
    shape = [n + before + after for n, (before, after) in zip(array.shape, widths, strict=True)]
    order = "F" if array.flags.fnc else "C"
    padded = empty(tuple(shape), array.dtype, order)
    middle = tuple(
        slice(before, before + n) for n, (before, _) in zip(array.shape, widths, strict=True)
    )
    padded[middle] = array
    for axis, ((before, after), chosen) in enumerate(zip(widths, options, strict=True)):
        # Earlier axes are filled over their whole extent, later ones only in the middle.
        region = padded[(*(slice(None),) * axis, slice(None), *middle[axis + 1 :])]
        region = region if axis == 0 else region.swapaxes(0, axis)
        fill(region, before, array.shape[axis], after, chosen)
    return padded


def _widths(pad_width: Any, ndim: int) -> list[tuple[int, int]] | None:
    """(before, after) of every axis; None to leave the argument to NumPy."""
    if type(pad_width) is int:
        return None if pad_width < 0 else [(pad_width, pad_width)] * ndim
    if type(pad_width) is dict:
        return None
    numbers = _numbers(pad_width)
    if numbers is None or numbers.dtype.kind != "i" or (numbers < 0).any():
        return None
    pairs = _pairs(numbers, ndim)
    return None if pairs is None else [(int(before), int(after)) for before, after in pairs]


def _numbers(value: Any) -> Any:
    """What an option is as an array of NumPy's; None where it is not numbers."""
    try:
        numbers = _np.asarray(value)
    except Exception:
        return None  # NumPy's function raises it again
    return numbers if numbers.dtype.kind in "biufc" else None


def _pairs(numbers: Any, ndim: int) -> _Pairs | None:
    """One pair for each axis. As in NumPy's function, what is given once for all axes stays a
    number of NumPy's, which is cast to the array's type as arrays are, and others become Python's.
    """
    if numbers.ndim < 3 and numbers.size == 1:
        number = numbers.ravel()[0]
        return [(number, number)] * ndim
    if numbers.ndim < 3 and numbers.size == 2 and numbers.shape != (2, 1):
        before, after = numbers.ravel()
        return [(before, after)] * ndim
    if numbers.ndim > 2 or numbers.shape[-1] not in (1, 2) or numbers.shape[0] not in (1, ndim):
        return None
    pairs: _Pairs = _np.broadcast_to(numbers, (ndim, 2)).tolist()
    return pairs


def _options(array: Any, widths: list[tuple[int, int]], mode: str, given: Any) -> Any:
    """The option of a mode, for each axis; None to leave the call to NumPy."""
    if array.size == 0 and mode not in ("constant", "empty"):
        return None
    if mode in ("reflect", "symmetric"):
        is_known = type(given) is str and given in ("even", "odd")
        return [given] * array.ndim if is_known else None
    if given is None:
        return [(None, None)] * array.ndim
    numbers = _numbers(given)
    if numbers is None:
        return None
    # NumPy warns or raises where a statistic is one of no elements.
    if mode in _STATISTICS and (numbers.dtype.kind != "i" or (numbers <= 0).any()):
        return None
    return _pairs(numbers, array.ndim)


def _constant(x: Any, before: int, n: int, after: int, values: tuple[Any, Any]) -> None:
    # Stored though a border may have no element: NumPy refuses values that do not fit.
    x[:before] = values[0]
    x[before + n :] = values[1]


def _edge(x: Any, before: int, n: int, after: int, _: Any) -> None:
    if before:
        x[:before] = x[before : before + 1]
    if after:
        x[before + n :] = x[before + n - 1 : before + n]


def _reflect(x: Any, before: int, n: int, after: int, kind: str) -> None:
    _mirrored(x, before, n, after, kind, 1)


def _symmetric(x: Any, before: int, n: int, after: int, kind: str) -> None:
    _mirrored(x, before, n, after, kind, 0)


def _mirrored(x: Any, before: int, n: int, after: int, kind: str, excluded: int) -> None:
    """Borders mirrored at the original's edges, which `excluded` elements at each end do not take
    part in. What is longer than the original is mirrored from what is filled already.
    """
    if n == 1:
        _edge(x, before, n, after, kind)
        return

    def turned(part: Any, edge: Any) -> Any:
        return part[::-1] if kind == "even" else 2 * edge - part[::-1]

    start, end = before, before + n
    while start > 0 or end < len(x):
        # The pattern repeats after whole periods only.
        period = n - excluded
        most = (end - start - excluded) // period * period
        first, last = start, end
        if start > 0:
            count = min(most, start)
            part = x[first + excluded : first + excluded + count]
            x[first - count : first] = turned(part, x[first : first + 1])
            start -= count
        if end < len(x):
            count = min(most, len(x) - end)
            part = x[last - excluded - count : last - excluded]
            x[last : last + count] = turned(part, x[last - 1 : last])
            end += count


def _wrap(x: Any, before: int, n: int, after: int, _: Any) -> None:
    start, end = before, before + n
    while start > 0 or end < len(x):
        most = (end - start) // n * n
        first, last = start, end
        if start > 0:
            count = min(most, start)
            x[first - count : first] = x[first + most - count : first + most]
            start -= count
        if end < len(x):
            count = min(most, len(x) - end)
            x[last : last + count] = x[last - most : last - most + count]
            end += count


def _linear_ramp(x: Any, before: int, n: int, after: int, ends: tuple[Any, Any]) -> None:
    """From the ends' values to the edges."""
    if before:
        x[:before] = _ramp(ends[0], x[before], before)
    if after:
        x[before + n :] = _ramp(ends[1], x[before + n - 1], after)[::-1]


def _ramp(start: Any, edge: Any, count: int) -> Any:
    """`count` steps from a number to before the edge: NumPy's `linspace`, along the first axis."""
    dtype = _np.result_type(start, edge.dtype, 1.0)
    delta = UFUNCS["subtract"](edge, start, dtype=dtype)
    y = arange(0, count, dtype=dtype).reshape((count,) + (1,) * edge.ndim)
    step = delta / count
    # Where a step underflows to zero, NumPy divides first.
    y = (y / count * delta if (step == 0).any() else y * step) + start
    return UFUNCS["floor"](y) if edge.dtype.kind in "iu" else y


def _statistic(method: str) -> _Fill:
    """The fill by a statistic of the original along the axis, or of elements at its ends."""

    def fill(x: Any, before: int, n: int, after: int, lengths: tuple[Any, Any]) -> None:
        left, right = (n if length is None else min(int(length), n) for length in lengths)
        value = of(x[before : before + left])
        x[:before] = value
        if not left == right == n:
            value = of(x[before + n - right : before + n])
        x[before + n :] = value

    def of(part: Any) -> Any:
        value = getattr(part, method)(axis=0, keepdims=True)
        return value.round() if method == "mean" and part.dtype.kind in "iu" else value

    return fill


def _empty(x: Any, before: int, n: int, after: int, _: Any) -> None:
    pass


# By mode: what fills the borders, the option that it takes, and the option's default.
_FILLS: dict[str, tuple[_Fill, str, Any]] = {
    "constant": (_constant, "constant_values", 0),
    "edge": (_edge, "", None),
    "reflect": (_reflect, "reflect_type", "even"),
    "symmetric": (_symmetric, "reflect_type", "even"),
    "wrap": (_wrap, "", None),
    "empty": (_empty, "", None),
    "linear_ramp": (_linear_ramp, "end_values", 0),
    "maximum": (_statistic("max"), "stat_length", None),
    "mean": (_statistic("mean"), "stat_length", None),
    "minimum": (_statistic("min"), "stat_length", None),
}
_STATISTICS = ("maximum", "mean", "minimum")
