"""`a[i] = x`: the element, the warning or the error of NumPy, for every type and kind of number."""

from __future__ import annotations

import collections
import warnings
from typing import Any

import fastnp
import numpy
import pytest

NATIVE = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16".split()
INTEGERS = [0, 1, -1, 127, 128, -128, -129, 255, 256, 65519, 65520, 2**24 + 1, 2**31, 2**32]
INTEGERS += [2**53 + 1, 2**62, 2**63 - 1, -(2**63), 2**63, 2**64 - 1, 2**64, 10**400]
FLOATS = [0.0, -0.0, 0.5, -0.5, 2.9, -2.9, 200.7, 300.0, 65519.9, 65520.0, 1e10, -1e10]
FLOATS += [2.0**62, 2.0**63, -(2.0**63), 2.0**64, 3.4028236e38, 1e39, 1e300, 5e-324]
FLOATS += [float("inf"), float("-inf"), float("nan")]
OTHER: list[Any] = [True, False, 1j, 2.5 + 0j, complex("nan"), None, "3", "2.5", "x", b"7", [], [1]]


def scalars() -> list[Any]:
    """NumPy's scalars of every type, at and beyond the ranges of narrower ones."""
    found: list[Any] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dtype in NATIVE:
            values = numpy.array([0, 1, 3, 100]).astype(dtype)
            found += list(values) + [values[3] * values[3], -values[1:2].astype("f8")[0]]
            if numpy.dtype(dtype).kind in "fc":
                found += list(numpy.array([numpy.nan, numpy.inf, 2.7, -1e30, 1e5]).astype(dtype))
            elif dtype != "?":
                found += [numpy.iinfo(dtype).max, numpy.dtype(dtype).type(numpy.iinfo(dtype).min)]
    return found


def outcome(np: Any, dtype: str, value: Any) -> Any:
    """The bytes of the array, or the error, and the warnings."""
    array = np.zeros(3, dtype)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            array[1] = value
            end: Any = None
        except Exception as error:
            end = type(error), str(error)
    return numpy.asarray(array).tobytes(), end, [(w.category, str(w.message)) for w in caught]


@pytest.mark.parametrize("dtype", NATIVE)
def test_element(dtype: str) -> None:
    for value in [*INTEGERS, *FLOATS, *OTHER, *scalars()]:
        ours, theirs = outcome(fastnp, dtype, value), outcome(numpy, dtype, value)
        assert ours == theirs, (dtype, type(value), value)


def test_keys() -> None:
    """Every kind of key that names one element, a class derived from tuples among them."""
    pair = collections.namedtuple("pair", "row column")
    keys: list[Any] = [
        (1, 2),
        pair(1, 2),
        (-1, numpy.int8(2)),
        (numpy.uint64(1), True),
        (1, numpy.True_),
    ]
    keys += [(1, ..., 2), (None, 1, 2), pair(0, slice(None)), (5, 0), (1, 2, 3), (1, 2.0)]
    for key in keys:
        found = []
        for np in (fastnp, numpy):
            array = np.arange(12.0).reshape(3, 4)
            try:
                taken = numpy.asarray(array[key]).tolist()
                array[key] = 7
                view = array[pair(slice(0, 2), slice(None))]
                view[pair(0, 0)] = 9
                found.append((taken, array.tolist()))
            except Exception as error:
                found.append((type(error), str(error)))
        assert found[0] == found[1], key
