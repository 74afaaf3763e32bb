"""Pickling of arrays, ufuncs and index objects.

An array is pickled as the NumPy view of its memory, out of band under protocol 5, and restored as
an array of ours. Pickles hold the names `fastnp._pickle.restore`, `fastnp._pickle.from_buffer` and
`fastnp._pickle.named`: moving them would make existing pickles unreadable.
"""

from __future__ import annotations

import sys
from pickle import PickleBuffer
from typing import Any

import numpy as _np

from fastnp._fastnp import adopt, to_numpy

__all__ = ["from_buffer", "named", "reduce", "restore"]

# Dense arrays of so few bytes are pickled as a buffer and a text for the type, which takes half the
# time of NumPy's array within ours. Larger ones are left to libraries that handle NumPy's arrays in
# a way of their own (joblib maps them into its workers).
_FEW_BYTES = 1 << 16


def reduce(x: Any, protocol: int) -> tuple[Any, ...]:
    """What `ndarray.__reduce_ex__` returns. NumPy's array handles every protocol."""
    values: Any = to_numpy(x)
    if protocol >= 5 and 0 < values.nbytes <= _FEW_BYTES:
        flags = values.flags
        if flags.c_contiguous or flags.f_contiguous:
            rows, order = (values, "C") if flags.c_contiguous else (values.T, "F")
            return from_buffer, (PickleBuffer(rows), values.dtype.str, values.shape, order)
    return restore, (values,)


def from_buffer(buffer: Any, dtype: str, shape: tuple[int, ...], order: Any) -> Any:
    """The array of a pickle that holds its memory."""
    return restore(_np.frombuffer(buffer, dtype).reshape(shape, order=order))


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
