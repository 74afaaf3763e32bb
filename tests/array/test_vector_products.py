"""Vectors times matrices in any order of memory, against sums in extended precision."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

ROWS = (1, 2, 7, 8, 9, 63, 64, 65, 200)
COLUMNS = (1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 100)


def arranged(matrix: Any, order: str) -> Any:
    """A matrix's elements in memory by rows, by columns, with gaps, or backwards."""
    rows, columns = matrix.shape
    if order == "rows":
        return matrix.copy()
    if order == "columns":
        return matrix.copy(order="F")
    if order == "gaps":
        room = numpy.zeros((rows, columns + 5), matrix.dtype)
        room[:, 2:-3] = matrix
        return room[:, 2:-3]
    return matrix[::-1, ::-1].copy()[::-1, ::-1]


@pytest.mark.parametrize("order", ["rows", "columns", "gaps", "backwards"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_sums_are_accurate(dtype: str, order: str) -> None:
    rng = numpy.random.default_rng(3)
    for rows in ROWS:
        for columns in COLUMNS:
            values = rng.standard_normal((2, rows, columns + 1))
            whole = (values[0] + 1j * values[1] if dtype[0] == "c" else values[0]).astype(dtype)
            matrix, vector = arranged(whole[:, 1:], order), whole[:, 0]
            wide = numpy.clongdouble if dtype[0] == "c" else numpy.longdouble
            terms = vector[:, None].astype(wide) * matrix.astype(wide)
            allowed = 2 * rows * numpy.finfo(dtype).eps * numpy.abs(terms).sum(axis=0)
            ours = fastnp.array(whole)[:, 0] @ fastnp.asarray(matrix)
            turned = fastnp.asarray(matrix).T @ fastnp.array(whole)[:, 0]
            for seen in map(numpy.asarray, (ours, turned)):
                assert seen.dtype == matrix.dtype
                assert (numpy.abs(seen - terms.sum(axis=0)) <= allowed).all(), (rows, columns)


@pytest.mark.parametrize("columns", [3, 16, 37])
def test_special_values_stay_in_their_columns(columns: int) -> None:
    def program(np: Any) -> list[Any]:
        matrix = np.ones((70, columns))
        matrix[:, 0] = -0.0
        matrix[3, 1], matrix[4, 1] = np.inf, -np.inf
        matrix[5, 2] = np.nan
        return [vector @ matrix for vector in (np.ones(70), np.arange(140.0)[::2])]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for ours, theirs in zip(program(fastnp), program(numpy), strict=True):
            numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)
            assert not numpy.signbit(numpy.asarray(ours)[0])


def test_flags_are_those_of_elements_in_the_result() -> None:
    matrix, vector = numpy.ones((100, 41)), numpy.full(100, 1e308)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        fastnp.eval(fastnp.array(vector) @ fastnp.array(matrix))
    assert [str(w.message) for w in told] == ["overflow encountered in matmul"]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128", "int64"])
def test_inner_products_of_vectors_with_gaps(dtype: str) -> None:
    rng = numpy.random.default_rng(5)
    for n in (2, 3, 7, 8, 9, 127, 128, 129, 1000, 5000):
        whole = rng.integers(-9, 9, (n, 7)).astype(dtype)
        ours = fastnp.array(whole)
        for x, y in [(0, 3), (2, 2), (6, 1)]:
            expected = whole[:, x] @ whole[:, y]
            assert numpy.dot(whole[:, x].copy(), whole[:, y].copy()) == expected
            assert fastnp.dot(ours[:, x], ours[:, y]) == expected
            assert fastnp.dot(ours[::-1, x], ours[::-1, y]) == expected
            assert fastnp.dot(fastnp.array(whole[:, x]), ours[:, y]) == expected
        assert fastnp.dot(fastnp.broadcast_to(ours[0, 2], n), ours[:, 1]) == (
            numpy.dot(numpy.broadcast_to(whole[0, 2], n), whole[:, 1])
        )
    if dtype.startswith("float"):
        real = rng.standard_normal((30000, 3)).astype(dtype)
        terms = real[:, 0].astype(numpy.longdouble) * real[:, 2]
        allowed = 60 * numpy.finfo(dtype).eps * numpy.abs(terms).sum()
        seen = fastnp.dot(fastnp.array(real)[:, 0], fastnp.array(real)[:, 2])
        assert abs(seen - terms.sum()) <= allowed


def test_inner_products_of_vectors_with_gaps_report_flags() -> None:
    big = fastnp.array(numpy.full((10, 3), 1e200))
    with pytest.warns(RuntimeWarning, match="overflow encountered in dot"):
        assert fastnp.dot(big[:, 0], big[:, 1]) == numpy.inf
    with fastnp.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow"):
        fastnp.dot(big[:, 0], big[:, 1])


PRODUCTS: tuple[Callable[[Any, Any, Any], Any], ...] = (
    lambda np, x, y: np.dot(x, y),
    lambda np, x, y: x @ y,
)


@pytest.mark.parametrize("types", ["f4 f4", "f8 f8", "c8 c8", "c16 c16", "i8 i8", "f4 f8", "f8 i4"])
def test_inner_products_with_numpys_vectors(types: str) -> None:
    rng = numpy.random.default_rng(6)
    for n in (0, 1, 2, 3, 17, 1000, 1025, 20000):
        a, b = (rng.integers(-9, 9, n).astype(dtype) for dtype in types.split())
        padded = numpy.zeros((n, 3), b.dtype)
        padded[:, 1] = b
        ours = fastnp.array(a)
        view = numpy.asarray(fastnp.array(b) + 0)  # of an array of ours, which may not be computed
        for other in (b, padded[:, 1], b[::-1][::-1], view):
            for product in PRODUCTS:
                for mine, theirs in (((ours, other), (a, b)), ((other, ours), (b, a))):
                    made, expected = product(fastnp, *mine), product(numpy, *theirs)
                    assert type(made) is type(expected)
                    assert made == expected


def test_inner_products_with_numpys_vectors_warn_and_refuse() -> None:
    large = numpy.full(100, 1e308)
    for name in ("dot", "matmul"):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            assert getattr(fastnp, name)(fastnp.array(large), large) == numpy.inf
        assert [str(w.message) for w in told] == [f"overflow encountered in {name}"]
        with pytest.raises(ValueError, match=r"aligned|mismatch"):
            getattr(fastnp, name)(fastnp.array(large), large[:7])
