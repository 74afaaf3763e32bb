"""Functions that only ask for types, or only name a method of the array."""

from __future__ import annotations

from typing import Any

import numpy as _np

from fastnp._fallback import call
from fastnp._fastnp import ndarray
from fastnp._registry import elsewhere, native


def _types(values: tuple[Any, ...]) -> list[Any]:
    # Under NEP 50 an array, also one of no dimensions, promotes as its dtype does.
    return [value.dtype if issubclass(type(value), ndarray) else value for value in values]


@native(_np.result_type)
def result_type(*arrays_and_dtypes: Any) -> Any:
    return _np.result_type(*_types(arrays_and_dtypes))


@native(_np.can_cast)
def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    return _np.can_cast(_types((from_,))[0], to, casting)


@native(_np.common_type)
def common_type(*arrays: Any) -> Any:
    return _np.common_type(
        *(_np.empty(0, x.dtype) if issubclass(type(x), ndarray) else x for x in arrays)
    )


@native(_np.take)
def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise") -> Any:
    if type(a) is ndarray:
        if out is None and mode == "raise":
            return a.take(indices, axis)
        return a.take(indices, axis, out, mode)
    return elsewhere(_np.take, "take", a, (indices, axis, out, mode), {})


@native(_np.nonzero)
def nonzero(a: Any) -> Any:
    return a.nonzero() if type(a) is ndarray else elsewhere(_np.nonzero, "nonzero", a, (), {})


@native(_np.flatnonzero)
def flatnonzero(a: Any) -> Any:
    if type(a) is ndarray:
        return a.ravel().nonzero()[0]
    return call(_np.flatnonzero, (a,), {})


if hasattr(_np, "astype"):  # new in NumPy 2.1

    @native(_np.astype)
    def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
        if type(x) is ndarray and device in (None, "cpu"):
            return x.astype(dtype, copy=copy)
        return elsewhere(_np.astype, "astype", x, (dtype,), {"copy": copy, "device": device})
