"""Folds of rows where an operand has one element for the whole row, as the mean in a variance has,
and folds of what is stored as well.

Such rows are folded by machine code of their own, which is compiled when they come first.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

from tests.compare import assert_same

SHAPES = [(3, 512), (7, 1001), (2, 9000), (1, 20_000), (40, 640)]

# x has the shape; c is a column, n one number, in memory.
PROGRAMS: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "squared distances": lambda np, x, c, n: ((x - c) ** 2).sum(axis=1),
    "a column on the left": lambda np, x, c, n: (c / (x + 3)).sum(axis=1),
    "two of them": lambda np, x, c, n: ((x - c) * n).max(axis=1),
    "nothing but": lambda np, x, c, n: np.broadcast_to(c, x.shape).sum(axis=1),
    "a choice": lambda np, x, c, n: np.where(x > c, x, n).sum(axis=1),
    "a count": lambda np, x, c, n: (x > c).sum(axis=1),
    "an extreme": lambda np, x, c, n: np.minimum(x, c).max(axis=1),
    "of everything": lambda np, x, c, n: ((x - n) * (x - n)).sum(),
    "a power": lambda np, x, c, n: np.exp(-np.abs(x * 1.0 - c)).sum(axis=1),
    "reversed rows": lambda np, x, c, n: (x[:, ::-1] - c).sum(axis=1),
    "the other way as well": lambda np, x, c, n: ((x - c).sum(axis=1), (x - x).sum(axis=1)),
}


def stored_too(np: Any, x: Any, c: Any, n: Any) -> Any:
    d = (x - c) * 2
    return d, (d * d).sum(axis=1)


def stored_twice(np: Any, x: Any, c: Any, n: Any) -> Any:
    is_large, e = x > c, np.abs(x * 1.5 - n)
    return is_large, e, np.where(is_large, e, 0).sum(axis=1), is_large.sum(axis=1)


def stored_beside(np: Any, x: Any, c: Any, n: Any) -> Any:
    return x * 3, (x + x) * c, x.max(axis=1), (x - c).sum(axis=1)


def in_place(np: Any, x: Any, c: Any, n: Any) -> Any:
    x = x.copy()
    np.eval(x) if np is fastnp else None
    x -= c
    return x, (x * x).sum(axis=1)


PROGRAMS |= {
    "stored too": stored_too,
    "stored twice": stored_twice,
    "stored beside": stored_beside,
    "in place": in_place,
    "everything, stored too": lambda np, x, c, n: (x * n, (x * n).sum(), (x * n).max()),
}


def evaluated(*values: numpy.ndarray) -> list[Any]:
    arrays = [fastnp.array(value) for value in values]
    fastnp.eval(*arrays)
    return arrays


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u2"])
def test_rows_with_a_number_each(name: str, dtype: str) -> None:
    program = PROGRAMS[name]
    for shape in SHAPES:
        random = numpy.random.default_rng(0)
        x = (random.random(shape) * 20).astype(dtype)
        c = (random.random((shape[0], 1)) * 9).astype(dtype)
        n = numpy.array([[4]], dtype)
        rtol = 1e-4 if dtype == "f4" else 1e-12
        expected = program(numpy, x, c, n)
        for _ in range(2):
            assert_same(program(fastnp, *evaluated(x, c, n)), expected, rtol=rtol)


def test_flags_of_rows_with_a_number_each() -> None:
    x = numpy.full((4, 5000), 1e200)
    c = numpy.zeros((4, 1))
    c[2] = numpy.inf
    x[2, 4321] = numpy.inf
    ours, column = evaluated(x, c)

    def told(np: Any, x: Any, c: Any) -> tuple[Any, list[str]]:
        with warnings.catch_warnings(record=True) as messages:
            warnings.simplefilter("always")
            result = numpy.asarray(np.multiply(x - c, x).sum(axis=1))
        return result, sorted({str(message.message) for message in messages})

    found, expected = told(fastnp, ours, column), told(numpy, x, c)
    assert_same(found[0], expected[0])
    assert found[1] == expected[1]


def test_bits_do_not_depend_on_threads_or_on_what_came_before() -> None:
    (x,) = evaluated(numpy.random.default_rng(1).random((6, 70_001)))
    found = set()
    for threads in (1, 2, 1):
        with fastnp.settings(num_threads=threads):
            column = x.mean(axis=1, keepdims=True)
            fastnp.eval(column)
            found.add(bytes(numpy.asarray(((x - column) ** 2).sum(axis=1))))
            fastnp.eval(((x - x[::-1]) ** 2).sum(axis=1))
    assert len(found) == 1


@pytest.mark.parametrize("length", [512, 1001, 8192, 20_001])
def test_sums_have_the_same_bits_whether_their_terms_are_stored(length: int) -> None:
    x, column = evaluated(*(numpy.random.default_rng(2).random(s) for s in ((5, length), (5, 1))))

    def stored() -> Any:
        e = fastnp.exp(x - column)
        total = e.sum(axis=1)
        fastnp.eval(e, total)
        return total

    alone = fastnp.exp(x - column).sum(axis=1)
    assert bytes(numpy.asarray(stored())) == bytes(numpy.asarray(alone))
