"""Conversions that return the same object: `np.asarray` of NumPy's arrays, `numpy.asarray` of ours.

While the converted array lives and neither array's header was changed, it is given again.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

CHANGES: dict[str, Callable[[Any], Any]] = {
    "shape": lambda x: setattr(x, "shape", (2, 3)),
    "strides": lambda x: setattr(x, "strides", (0,)),
    "flags": lambda x: x.setflags(write=False),
    "dtype": lambda x: setattr(x, "dtype", "i8"),
}


@pytest.mark.parametrize("name", ["asarray", "asanyarray", "ascontiguousarray", "atleast_1d"])
def test_numpys_arrays_are_converted_once(name: str) -> None:
    convert = getattr(fastnp, name)
    x = numpy.arange(6.0)
    first = convert(x)
    assert type(first) is fastnp.ndarray
    assert convert(x) is first
    assert fastnp.asarray(x.copy()) is not first
    first[2] = 9
    assert x[2] == 9


def test_ours_are_converted_once() -> None:
    a = fastnp.arange(6.0)
    first = numpy.asarray(a)
    assert type(first) is numpy.ndarray
    assert numpy.asarray(a) is first
    assert numpy.asarray(a, dtype="f8") is not None
    a += 1
    assert numpy.asarray(a) is first
    assert first.tolist() == [1, 2, 3, 4, 5, 6]
    assert numpy.asarray(a + 0) is not first


@pytest.mark.parametrize("changed", ["given", "made"])
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_changed_headers_are_seen(change: str, changed: str) -> None:
    for given, convert in (
        (numpy.arange(6.0), fastnp.asarray),
        (fastnp.arange(6.0), numpy.asarray),
    ):
        made = convert(given)
        CHANGES[change](given if changed == "given" else made)
        again = convert(given)
        assert again is not made
        assert (again.shape, again.strides, again.dtype) == (
            given.shape,
            given.strides,
            given.dtype,
        )
        assert again.flags.writeable == given.flags.writeable
        assert again.tolist() == given.tolist()


def test_nothing_is_kept_alive() -> None:
    x = numpy.arange(6.0)
    ends = weakref.ref(fastnp.asarray(x))
    assert ends() is None
    kept = weakref.ref(x)
    ours = fastnp.asarray(x)
    del x, ours
    fastnp.flush()
    gc.collect()
    assert kept() is None
    a = fastnp.arange(6.0)
    ends = weakref.ref(numpy.asarray(a))
    assert ends() is None
    kept = weakref.ref(a)
    view = numpy.asarray(a)
    del a
    assert kept() is not None
    del view
    assert kept() is None


def test_addresses_that_are_used_again() -> None:
    for turn in range(300):
        x = numpy.full(turn % 7 + 1, float(turn))
        ours = fastnp.asarray(x)
        assert ours.tolist() == x.tolist()
        assert fastnp.asarray(x) is ours
        a = fastnp.full(turn % 7 + 1, float(turn))
        view = numpy.asarray(a)
        assert view.tolist() == a.tolist()
        assert numpy.asarray(a) is view


def test_resized_arrays_are_converted_anew() -> None:
    x = numpy.arange(6.0)
    ours = fastnp.asarray(x)
    other = fastnp.arange(12.0)
    view = numpy.asarray(other)
    ours.shape = (3, 2)
    other.shape = (4, 3)
    assert fastnp.asarray(x).shape == (6,)
    assert numpy.asarray(other).shape == (4, 3)
    assert view.shape == (12,)
