"""SciPy: products of sparse matrices take our arrays as NumPy's.

A product asks whether the other factor is of the class `numpy.ndarray` exactly. For any other it
finds out in Python what it is, as long as a small product takes. Source: `scipy.sparse._base`.
"""

from __future__ import annotations

import sys
from functools import wraps
from typing import Any

import numpy as _np

from fastnp._fastnp import ndarray

__all__ = ["register"]


def register() -> None:
    """Give products of sparse matrices NumPy's views of our arrays."""
    base: Any = getattr(sys.modules["scipy.sparse._base"], "_spbase", None)
    original = getattr(base, "_matmul_dispatch", None)
    if original is None:
        return

    @wraps(original)
    def _matmul_dispatch(self: Any, other: Any) -> Any:
        return original(self, _np.asarray(other) if type(other) is ndarray else other)

    base._matmul_dispatch = _matmul_dispatch
