"""The fallback: conversion of arguments and results, the ledger, and strict mode."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import fastnp
import numpy
import pytest
from fastnp._fallback import call as _fallback
from fastnp._state import ledger as _ledger

# The stubs give NumPy's types, which say less than is tested here.
np: Any = fastnp


@pytest.fixture(autouse=True)
def _fresh() -> None:
    np.reset_stats()


def test_result_is_ours() -> None:
    got = np.argsort(np.array([3, 1, 2]))
    assert type(got) is np.ndarray
    assert got.tolist() == [1, 2, 0]


def test_argument_is_seen_without_a_copy() -> None:
    x = np.zeros(4)
    np.put(x, [1], 5.0)
    assert x.tolist() == [0, 5, 0, 0]
    np.lib.stride_tricks.as_strided(x, (2,), (16,))[...] = 7.0
    assert x.tolist() == [7, 5, 7, 0]


def test_out_keeps_its_identity() -> None:
    out = np.zeros(3)
    assert np.nanmedian(np.ones((2, 3)), axis=0, out=out) is out
    assert out.tolist() == [1, 1, 1]
    frac, whole = np.zeros(2), np.zeros(2)
    got = np.modf(np.array([1.5, 2.25]), out=(frac, whole))
    assert got[0] is frac
    assert got[1] is whole


def test_containers() -> None:
    x = np.arange(3.0)
    assert type(np.block([[x, x], [x, x]])) is np.ndarray
    assert type(np.select([x > 1], [x], default=0.0)) is np.ndarray
    quotient, rest = np.divmod(x, 2.0)
    assert type(quotient) is type(rest) is np.ndarray
    values, counts = np.unique(x, return_counts=True)
    assert type(values) is type(counts) is np.ndarray


def test_named_tuples_stay_named() -> None:
    result = np.linalg.eigh(np.eye(2))
    assert type(result.eigenvalues) is np.ndarray
    assert type(result).__name__ == "EighResult"


def test_foreign_types_pass() -> None:
    assert type(np.ma.masked_array(np.arange(3.0), [0, 1, 0])) is numpy.ma.MaskedArray
    assert type(np.sort(["b", "a"])) is numpy.ndarray
    assert isinstance(np.sort(["b", "a"]), np.ndarray)


def test_counted_with_the_users_line() -> None:
    x = np.ones(3)
    for _ in range(2):
        np.argsort(x)  # here
    line = inspect.currentframe().f_lineno - 1  # type: ignore[union-attr]
    (record,) = np.fallbacks()
    assert record.name == "argsort"
    assert record.count == 2
    assert record.sites == {f"{__file__}:{line}": 2}
    assert "argsort" in repr(np.fallbacks())
    assert np.stats()["fallbacks"] == 2


def test_numbers_are_not_counted() -> None:
    np.median([1.0, 2.0])
    np.sum(2.0)
    assert not np.fallbacks()


def test_strict() -> None:
    x = np.ones(3)
    with np.strict(), pytest.raises(np.FallbackError, match="argsort"):
        np.argsort(x)
    np.argsort(x)
    np.strict()
    try:
        with pytest.raises(np.FallbackError, match=r"ndarray\.searchsorted"):
            x.searchsorted(1.0)
    finally:
        np.strict(False)
    with np.strict():
        assert np.sum(x) == 3.0
        np.random.rand(3)


def test_warn_names_the_users_line() -> None:
    with np.settings(fallback="warn"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        np.argsort(np.ones(3))
    assert [w.filename for w in caught] == [__file__]
    assert caught[0].category is np.FallbackWarning
    assert _ledger.mode() == "ignore"


def test_wrapped_function_looks_like_numpys() -> None:
    assert np.sort.__name__ == "sort"
    assert np.sort.__doc__ == numpy.sort.__doc__
    assert np.sort.__wrapped__ is numpy.sort
    assert inspect.signature(np.sort) == inspect.signature(numpy.sort)
    assert np.sort.__module__ == "fastnp"
    assert np.linalg.svd.__module__ == "fastnp.linalg"


def test_errors_are_numpys() -> None:
    with pytest.raises(ValueError, match="kth"):
        np.partition(np.ones(3), 9)
    with pytest.raises(AttributeError, match="object has no attribute 'nothing'"):
        np.ones(3).nothing
    assert not hasattr(np.ones(3), "_repr_html_")


def test_methods_through_the_fallback() -> None:
    x = np.array([3.0, 1.0, 2.0])
    assert x.argsort().tolist() == [1, 2, 0]
    x.sort()
    assert x.tolist() == [1, 2, 3]
    assert {r.name for r in np.fallbacks()} == {"ndarray.argsort", "ndarray.sort"}


def test_flat() -> None:
    x = np.arange(6.0).reshape(2, 3)
    x.flat[::2] = 9.0
    assert x.tolist() == [[9, 1, 9], [3, 9, 5]]
    assert type(x.flat[1:3]) is np.ndarray
    assert [float(v) for v in x.flat] == [9, 1, 9, 3, 9, 5]
    assert isinstance(x.flat, np.flatiter)
    assert len(x.flat) == 6
    assert numpy.asarray(x.flat).shape == (6,)


def test_subclasses_are_kept_where_numpy_keeps_them() -> None:
    class Sub(np.ndarray):
        unit = "none"

        def __array_finalize__(self, source: Any) -> None:
            self.unit = getattr(source, "unit", "none")

    x = np.array([3.0, 1.0, 2.0]).view(Sub)
    x.unit = "m"
    got = np.sort(x)
    assert type(got) is Sub
    assert got.unit == "m"
    assert got.tolist() == [1, 2, 3]
    assert type(np.argwhere(x > 1)) is np.ndarray
    out = np.zeros(3).view(Sub)
    assert np.nanmedian(np.ones((2, 3)), axis=0, out=out) is out
    assert out.tolist() == [1, 1, 1]


def test_object_that_makes_our_array() -> None:
    class Holder:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.arange(3.0)

    assert np.sort(Holder()).tolist() == [0, 1, 2]
    assert np.median([Holder(), Holder()]) == 1.0


def test_ufunc_entry() -> None:
    x = np.zeros(3)
    _fallback.ufunc("add", "at", (x, [0, 0], 1.0), {})
    assert x.tolist() == [2, 0, 0]
    assert type(_fallback.ufunc("add", "__call__", (x, 1.0), {})) is np.ndarray


def test_long_lists_and_nested() -> None:
    x = np.ones(2)
    seen: list[object] = []
    plain = _fallback._to_view([1, (x, [x, 2]), {"a": x}], seen)  # type: ignore[arg-type]
    assert type(plain[1][0]) is numpy.ndarray
    assert type(plain[1][1][0]) is numpy.ndarray
    assert type(plain[2]["a"]) is numpy.ndarray
    assert len(seen) == 3
