"""Elements picked by conditions: chosen among arrays, taken out, overwritten."""

from __future__ import annotations

from typing import Any

import numpy as _np

from fastnp._fallback import call
from fastnp._fastnp import ndarray, where
from fastnp._registry import native

_NUMBERS = (int, float, complex)


def _is_mask(x: Any) -> bool:
    return type(x) is ndarray and x.dtype.char == "?" and x.ndim > 0


@native(_np.select)
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    choices = [*choicelist, default] if type(choicelist) in (list, tuple) else []
    known = all(type(x) is ndarray or type(x) in _NUMBERS for x in choices)
    lists = type(condlist) in (list, tuple) and len(condlist) == len(choices) - 1 > 0
    if not known or not lists or not all(_is_mask(x) for x in condlist):
        return call(_np.select, (condlist, choicelist, default), {})
    dtype = _np.result_type(*(x.dtype if type(x) is ndarray else x for x in choices))
    # A number takes the common type, which pairs of arrays alone would not agree on.
    typed = [x.astype(dtype, copy=False) if type(x) is ndarray else dtype.type(x) for x in choices]
    result = typed.pop()
    for condition, choice in zip(reversed(condlist), reversed(typed), strict=True):
        result = where(condition, choice, result)
    return result


@native(_np.extract)
def extract(condition: Any, arr: Any) -> Any:
    if type(arr) is not ndarray or not _is_mask(condition) or condition.size != arr.size:
        return call(_np.extract, (condition, arr), {})
    return arr.ravel()[condition.ravel()]


@native(_np.putmask)
def putmask(a: Any, /, mask: Any, values: Any) -> None:
    number = type(values) is float and type(a) is ndarray and a.dtype.kind == "f"
    if number and _is_mask(mask) and mask.shape == a.shape:
        a[mask] = values
    else:
        call(_np.putmask, (a, mask, values), {})


@native(_np.fill_diagonal)
def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    plain = type(a) is ndarray and a.ndim == 2 and a.flags.c_contiguous and a.flags.writeable
    if not plain or wrap or type(val) not in _NUMBERS:
        call(_np.fill_diagonal, (a, val, wrap), {})
        return
    columns = a.shape[1]
    # The diagonal is one strided run of the flat matrix.
    a.reshape(-1)[: columns * columns : columns + 1] = val
