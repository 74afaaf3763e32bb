"""Pickling of arrays, ufuncs and index objects.

An array is pickled as the NumPy view of its memory, out of band under protocol 5, and restored as
an array of ours. Pickles hold the names `fastnp._pickle.restore` and `fastnp._pickle.named`: moving
them would make existing pickles unreadable.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as _np

from fastnp._fastnp import adopt, to_numpy

__all__ = ["named", "reduce", "restore"]


def reduce(x: Any) -> tuple[Any, ...]:
    """What `ndarray.__reduce_ex__` returns, for every protocol: NumPy's array handles these."""
    return restore, (to_numpy(x),)


def restore(values: Any) -> Any:
    """The array of a pickle. Buffers out of band may be unaligned; then it is a copy. An array
    without elements is aligned to NumPy wherever it is. What another library has mapped from a file
    instead (joblib) stays `numpy.memmap`, as it would be of an array of NumPy's.
    """
    if type(values) is _np.memmap:
        return values
    if not values.flags.aligned or not values.size:
        writeable = values.flags.writeable
        values = values.copy("K")
        values.flags.writeable = writeable
    return adopt(values)


def named(name: str) -> Any:
    """The object of a pickle that fastnp's namespace calls `name`."""
    return getattr(sys.modules["fastnp"], name)
