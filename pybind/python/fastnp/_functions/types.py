"""Functions of types: a common one, conversion."""

from __future__ import annotations

from typing import Any

import numpy as _np

from fastnp._fallback.call import call
from fastnp._fallback.registry import dispatch_method, native
from fastnp._fastnp import ndarray


@native(_np.common_type)
def common_type(*arrays: Any) -> Any:
    return _np.common_type(*(_np.empty(0, x.dtype) if type(x) is ndarray else x for x in arrays))


if hasattr(_np, "astype"):  # new in NumPy 2.1

    @native(_np.astype)
    def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
        if type(x) is ndarray and device in (None, "cpu"):
            return x.astype(dtype, copy=copy)
        if type(x) in (list, tuple, ndarray):
            # NumPy refuses lists here, so they are not converted, and other devices.
            return call(_np.astype, (x, dtype), {"copy": copy, "device": device})
        return dispatch_method(_np.astype, "astype", x, (dtype,), {"copy": copy, "device": device})
