"""SciPy: `signal.csd`, and `welch`, which calls it, know one array as one.

`csd` computes one spectrum instead of two where its second signal is the first one. It converts
the first before it asks, and NumPy converts an array of a derived class to another object. Source:
`scipy.signal._spectral_py`.
"""

from __future__ import annotations

import sys
from functools import wraps
from typing import Any

from fastnp._fastnp import ndarray, to_numpy

__all__ = ["register"]


def register() -> None:
    """Give `csd` the same array of NumPy's for both signals where they are one of ours."""
    spectral: Any = sys.modules["scipy.signal._spectral_py"]
    original = spectral.csd

    @wraps(original)
    def csd(x: Any, y: Any, *args: Any, **kwargs: Any) -> Any:
        if y is x and type(x) is ndarray:
            x = y = to_numpy(x)
        return original(x, y, *args, **kwargs)

    spectral.csd = csd
    signal: Any = sys.modules.get("scipy.signal")
    if getattr(signal, "csd", None) is original:
        signal.csd = csd
