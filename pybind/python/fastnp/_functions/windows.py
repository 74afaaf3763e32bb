"""Window functions: cosines of even steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as _np

from fastnp._fallback.call import call
from fastnp._fallback.registry import native
from fastnp._fastnp import UFUNCS, arange, array, ones, where

_cos = UFUNCS["cos"]


def _window(original: Callable[..., Any], values: Callable[[Any, Any], Any]) -> None:
    """Registers the window with these `values` at the steps from `1 - M` to `M - 1`."""

    def window(M: Any) -> Any:
        if type(M) not in (int, float, _np.int64, _np.float64):
            return call(original, (M,), {})
        M = _np.float64(M)
        if M < 1:
            return array([], dtype="d")
        if M == 1:
            return ones(1)
        return values(arange(1 - M, M, 2), M - 1)

    native(original)(window)


_window(_np.hanning, lambda n, last: 0.5 + 0.5 * _cos(_np.pi * n / last))
_window(_np.hamming, lambda n, last: 0.54 + 0.46 * _cos(_np.pi * n / last))
_window(
    _np.blackman,
    lambda n, last: 0.42 + 0.5 * _cos(_np.pi * n / last) + 0.08 * _cos(2.0 * _np.pi * n / last),
)
_window(_np.bartlett, lambda n, last: where(n <= 0, 1 + n / last, 1 - n / last))
