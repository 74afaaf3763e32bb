"""Functions of types: promotion, casting rules, conversion."""

from __future__ import annotations

from typing import Any

import numpy as _np

from fastnp._fallback.call import PLAIN, call
from fastnp._fallback.registry import dispatch_method, native
from fastnp._fastnp import ndarray


def _types(values: tuple[Any, ...]) -> list[Any]:
    # NEP 50: an array promotes as its dtype does, also where it has no axes.
    return [value.dtype if type(value) is ndarray else value for value in values]


# NumPy's function behind its dispatch: it reads the type that an array of ours has.
_result_type = _np.result_type._implementation  # type: ignore[attr-defined]
_KNOWN = PLAIN | {ndarray}


@native(_np.result_type)
def result_type(*arrays_and_dtypes: Any) -> Any:
    if _KNOWN.issuperset(map(type, arrays_and_dtypes)):
        return _result_type(*arrays_and_dtypes)
    return _np.result_type(*_types(arrays_and_dtypes))


@native(_np.can_cast)
def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    return _np.can_cast(_types((from_,))[0], to, casting)


@native(_np.common_type)
def common_type(*arrays: Any) -> Any:
    return _np.common_type(*(_np.empty(0, x.dtype) if type(x) is ndarray else x for x in arrays))


if hasattr(_np, "astype"):  # new in NumPy 2.1

    @native(_np.astype)
    def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
        if type(x) is ndarray and device in (None, "cpu"):
            return x.astype(dtype, copy=copy)
        if type(x) is list or type(x) is tuple:
            # NumPy refuses lists here, so they are not converted.
            return call(_np.astype, (x, dtype), {"copy": copy, "device": device})
        return dispatch_method(_np.astype, "astype", x, (dtype,), {"copy": copy, "device": device})
