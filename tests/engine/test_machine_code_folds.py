"""Folds of what a kernel computes by machine code: columns, rows, and rows that lie apart to one
number.

Machine code folds rows of values into rows of accumulators, sixteen rows one after the other, each
of many rows into a number, or all of them into one. What it cannot do is done by the interpreter,
in the same order.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

from tests.compare import assert_same

SHAPES = [
    *[(2, 8), (17, 9), (300, 64), (1000, 13), (70, 1500), (5000, 30), (33, 1024), (16, 3000)],
    (40, 9000),
]

# x and y have the shape; r is a row, c a column, n one number, all in memory.
Program = Callable[[Any, Any, Any, Any, Any, Any], Any]
COLUMNS: dict[str, Program] = {
    "squares": lambda np, x, y, r, c, n: ((x - y) ** 2).sum(axis=0),
    "a row": lambda np, x, y, r, c, n: ((x - r) * n).sum(axis=0),
    "a column": lambda np, x, y, r, c, n: (x * c).max(axis=0),
    "a column alone": lambda np, x, y, r, c, n: np.broadcast_to(c, x.shape).sum(axis=0),
    "a choice": lambda np, x, y, r, c, n: np.where(x > r, x, n).min(axis=0),
    "several": lambda np, x, y, r, c, n: ((x - y).sum(axis=0), (x * y).max(axis=0), x.min(axis=0)),
    "a count": lambda np, x, y, r, c, n: (x > y).sum(axis=0),
    "any": lambda np, x, y, r, c, n: (x > y).any(axis=0),
    "a product": lambda np, x, y, r, c, n: (1 + x / 1e4).prod(axis=0),
    "a variance": lambda np, x, y, r, c, n: x.var(axis=0),
    "positions": lambda np, x, y, r, c, n: ((x + y).argmax(axis=0), (x * y).sum(axis=0)),
    "stored beside": lambda np, x, y, r, c, n: (np.maximum(x, y), x.min(axis=0)),
    "stored too": lambda np, x, y, r, c, n: ((x - r) * c, ((x - r) * c).sum(axis=0)),
    "a dear function": lambda np, x, y, r, c, n: np.exp(-np.abs(x * 1.0 - c)).sum(axis=0),
    "every second row": lambda np, x, y, r, c, n: (x[::2] - y[::2]).sum(axis=0),
    "reversed columns": lambda np, x, y, r, c, n: (x[:, ::-1] - y).sum(axis=0),
    "transposed": lambda np, x, y, r, c, n: (x.T * 2).sum(axis=1),
}


def in_place(np: Any, x: Any, y: Any, r: Any, c: Any, n: Any) -> Any:
    x = x.copy()
    np.eval(x) if np is fastnp else None
    x -= r
    return x, (x * y).sum(axis=0)


def in_place_by_rows(np: Any, x: Any, y: Any, r: Any, c: Any, n: Any) -> Any:
    x = x.copy()
    np.eval(x) if np is fastnp else None
    x += c
    return x, (x * y).sum(axis=1), (x + y).max(axis=1)


def fold_beside_in_place(np: Any, x: Any, y: Any, r: Any, c: Any, n: Any) -> Any:
    x, first = x.copy(), x.copy()
    np.eval(x, first) if np is fastnp else None
    distances = ((first - c) * (first - c)).sum(axis=1)
    sums = (x * y).sum(axis=1)
    x *= y
    return x, sums, distances, x.max(axis=1)


COLUMNS["in place"] = in_place

ROWS: dict[str, Program] = {
    "products": lambda np, x, y, r, c, n: (x * y).sum(axis=1),
    "distances": lambda np, x, y, r, c, n: ((x - c) ** 2).sum(axis=1),
    "a row": lambda np, x, y, r, c, n: ((x - r) * n).max(axis=1),
    "a choice": lambda np, x, y, r, c, n: np.where(x > r, x, n).min(axis=1),
    "several": lambda np, x, y, r, c, n: ((x - y).sum(axis=1), (x * y).max(axis=1), x.min(axis=1)),
    "a count": lambda np, x, y, r, c, n: (x > y).sum(axis=1),
    "any": lambda np, x, y, r, c, n: (x > y).any(axis=1),
    "bits": lambda np, x, y, r, c, n: np.bitwise_or.reduce((x + y).astype("i8"), axis=1),
    "a variance": lambda np, x, y, r, c, n: x.var(axis=1),
    "stored beside": lambda np, x, y, r, c, n: (np.maximum(x, y), x.min(axis=1)),
    "stored too": lambda np, x, y, r, c, n: ((x - r) * c, ((x - r) * c).sum(axis=1)),
    "a dear function": lambda np, x, y, r, c, n: np.exp(-np.abs(x * 1.0 - c)).sum(axis=1),
    "lengths": lambda np, x, y, r, c, n: np.abs(x + 1j * y).sum(axis=1),
    "parts of rows": lambda np, x, y, r, c, n: (x[:, 1:] * y[:, :-1]).sum(axis=1),
    "reversed rows": lambda np, x, y, r, c, n: (x[::-1] - y[::-1]).sum(axis=1),
    "every second column": lambda np, x, y, r, c, n: (x[:, ::2] * y[:, ::2]).sum(axis=1),
    "planes": lambda np, x, y, r, c, n: (np.stack([x, y, x]) * r).sum(axis=2),
    "softmax": lambda np, x, y, r, c, n: np.exp(x - c) / np.exp(x - c).sum(axis=1, keepdims=True),
}

ROWS["in place"] = in_place_by_rows
ROWS["beside in place"] = fold_beside_in_place

# Rows that are folded to one number, and cannot be one long row.
WHOLE: dict[str, Program] = {
    "a row": lambda np, x, y, r, c, n: ((x - r) ** 2).sum(),
    "a column": lambda np, x, y, r, c, n: (x * c).max(),
    "inner points": lambda np, x, y, r, c, n: (x[1:-1, 1:-1] * 2).sum(),
    "a stencil": lambda np, x, y, r, c, n: np.abs(x[1:, 1:] - x[:-1, :-1]).max(),
    "stored too": lambda np, x, y, r, c, n: (x * r, (x * r).sum(), (x * r).min()),
    "of planes": lambda np, x, y, r, c, n: (np.stack([x, y]) - r).sum(axis=(1, 2)),
    "a mean": lambda np, x, y, r, c, n: np.where(x > c, x, y).mean(),
    "a position": lambda np, x, y, r, c, n: (x * r).argmax(),
}


def operands(shape: tuple[int, int], dtype: str) -> list[numpy.ndarray]:
    random = numpy.random.default_rng(0)
    shapes = [shape, shape, (1, shape[1]), (shape[0], 1)]
    made = [(random.random(s) * 20).astype(dtype) for s in shapes]
    return [*made, numpy.array([[4]], dtype)]


def evaluated(*values: numpy.ndarray) -> list[Any]:
    arrays = [fastnp.array(value) for value in values]
    fastnp.eval(*arrays)
    return arrays


def tuple_of(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


def check(program: Program, values: list[numpy.ndarray], rtol: float) -> None:
    expected = tuple_of(program(numpy, *values))
    for _ in range(2):
        found = tuple_of(program(fastnp, *evaluated(*values)))
        fastnp.eval(*(value for value in found if isinstance(value, fastnp.ndarray)))
        assert_same(found, expected, rtol=rtol)


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "u2"])
def test_columns(name: str, dtype: str) -> None:
    for shape in SHAPES:
        check(COLUMNS[name], operands(shape, dtype), 1e-4 if dtype == "f4" else 1e-12)


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4"])
def test_rows(name: str, dtype: str) -> None:
    widths = [*range(7, 26), 31, 32, 33, 63, 64, 65, 100, 127, 129, 200, 511, 700]
    for width in widths:
        rows = 1 + 2000 // width
        check(ROWS[name], operands((rows, width), dtype), 1e-4 if dtype == "f4" else 1e-12)


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
def test_rows_to_one_number(name: str, dtype: str) -> None:
    for shape in [(3, 70), (400, 64), (90, 700), (3, 9000), (200, 63)]:
        check(WHOLE[name], operands(shape, dtype), 1e-4 if dtype == "f4" else 1e-11)


SPECIAL = numpy.array([0.0, -0.0, numpy.nan, numpy.inf, -numpy.inf, 1e300, -1e-320, 3.0])


@pytest.mark.parametrize("fold", ["sum", "max", "min", "mean", "std"])
@pytest.mark.parametrize("rows", [3, 16, 40, 700])
def test_special_values_and_warnings(fold: str, rows: int) -> None:
    """What raises is told once, and what needs a slow path is computed by it."""
    random = numpy.random.default_rng(rows)
    for chance in (0.0, 0.001, 0.3):
        x = random.random((rows, 50))
        is_special = random.random(x.shape) < chance
        x[is_special] = random.choice(SPECIAL, is_special.sum())
        big = numpy.where(random.random(x.shape) < chance, 1e30, x)

        def told(np: Any, x: Any, big: Any, *, axis: int | None) -> Any:
            with warnings.catch_warnings(record=True) as messages:
                warnings.simplefilter("always")
                results = getattr(x * x - 1, fold)(axis=axis), np.sin(big), np.sin(big).sum(axis=0)
                found = [numpy.asarray(result) for result in results]
            return found, sorted({str(message.message) for message in messages})

        for axis in (0, 1, None):
            found = told(fastnp, *evaluated(x, big), axis=axis)
            expected = told(numpy, x, big, axis=axis)
            assert_same(found[0], expected[0], rtol=1e-11)
            assert found[1] == expected[1]


def test_columns_have_the_same_bits_whether_their_terms_are_stored() -> None:
    for shape in [(100, 64), (1000, 300), (300, 5000)]:
        x, row = evaluated(*(numpy.random.default_rng(2).random(s) for s in (shape, (1, shape[1]))))
        terms = fastnp.sqrt(x - row + 2)
        fastnp.eval(terms)
        alone = bytes(numpy.asarray(terms.sum(axis=0)))

        terms = fastnp.sqrt(x - row + 2)
        total = terms.sum(axis=0)
        fastnp.eval(terms, total)
        assert bytes(numpy.asarray(total)) == alone
        assert bytes(numpy.asarray(fastnp.sqrt(x - row + 2).sum(axis=0))) == alone


TERMS: dict[str, Callable[[Any, Any], Any]] = {
    "roots": lambda x, row: fastnp.sqrt(x - row + 2),
    "exponentials": lambda x, row: fastnp.exp(x),
}


@pytest.mark.parametrize("name", TERMS)
@pytest.mark.parametrize("width", [8, 13, 40, 60, 500])
def test_rows_have_the_same_bits_whether_their_terms_are_stored(width: int, name: str) -> None:
    terms_of = TERMS[name]
    x, row = evaluated(*(numpy.random.default_rng(2).random(s) for s in ((999, width), (1, width))))
    alone = bytes(numpy.asarray(terms_of(x, row).sum(axis=1)))
    terms = terms_of(x, row)
    total = terms.sum(axis=1)
    fastnp.eval(terms, total)
    assert bytes(numpy.asarray(total)) == alone
    # A row has the bits that it has among more.
    few = bytes(numpy.asarray(terms_of(x[:500], row).sum(axis=1)))
    assert few == alone[: len(few)]


def test_bits_do_not_depend_on_threads() -> None:
    x, row = evaluated(*(numpy.random.default_rng(1).random(s) for s in ((2000, 600), (1, 600))))
    found = set()
    for threads in (1, 2, 1):
        with fastnp.settings(num_threads=threads):
            results = (x * row).sum(axis=0), (x * row).sum(), (x[:, 1:] * 2).sum()
            found.add(b"".join(bytes(numpy.asarray(result)) for result in results))
    assert len(found) == 1
