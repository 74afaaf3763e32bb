"""Stores over what a statement reads at other points: small operands are copied, not the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

from tests.compare import assert_same
from tests.conftest import AssertCount

SHAPE = (90, 120)


def values(dtype: str = "float64", shape: tuple[int, ...] = SHAPE) -> numpy.ndarray:
    """Numbers of which none is twice in a row or column."""
    n = int(numpy.prod(shape))
    return ((numpy.arange(n) * 7919 % 10007 - 5000) / 64).astype(dtype).reshape(shape)


Program = Callable[[Any, Any], None]


def eliminate(np: Any, a: Any) -> None:
    a[1:] -= a[1:, :1] * a[0] / 100


def shortest_paths(np: Any, a: Any) -> None:
    a[:] = np.minimum(a, np.add.outer(a[:, 3], a[7, :]))


def both_ends(np: Any, a: Any) -> None:
    a[:] = a * 2 + a[:1] - a[-1:] + a[:, :1] * a[:, -1:]


def same_row_twice(np: Any, a: Any) -> None:
    a[:] = (a - a[4]) * (a + a[4])


def reversed_column(np: Any, a: Any) -> None:
    a[:] = a[:, ::-1][:, :1] + a * 0.5


def chosen(np: Any, a: Any) -> None:
    a[:] = np.where(a > a[3], a[3], a)


def rank_three(np: Any, a: Any) -> None:
    b = a.reshape(9, 10, 120)
    b[:] = b + b[:, :1] * b[2, 4]


# The kernels: copies of row and column, and the statement.
CASES: dict[Program, int] = {
    eliminate: 2,
    shortest_paths: 3,
    both_ends: 3,
    same_row_twice: 2,
    reversed_column: 2,
    chosen: 2,
    rank_three: 2,
}


@pytest.mark.parametrize("program", CASES)
def test_statements_are_in_place(program: Program, assert_kernels: AssertCount) -> None:
    ours, theirs = fastnp.array(values()), values()
    fastnp.eval(ours)

    def run() -> Any:
        program(fastnp, ours)
        return ours

    assert_kernels(run, CASES[program])
    program(numpy, theirs)
    program(numpy, theirs)
    assert_same(ours, theirs)


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
@pytest.mark.parametrize("program", CASES)
def test_values(program: Program, dtype: str) -> None:
    ours, theirs = fastnp.array(values(dtype)), values(dtype)
    with numpy.errstate(all="ignore"):
        for _ in range(3):
            program(numpy, theirs)
    with fastnp.errstate(all="ignore"):
        for _ in range(3):
            program(fastnp, ours)
    assert_same(ours, theirs)


@pytest.mark.parametrize("seed", range(60))
def test_random_statements(seed: int) -> None:
    """Lines of one array, by any of its axes and in any direction, in updates of a part of it."""
    rng = numpy.random.default_rng(seed)

    def a_slice(n: int, extent: int) -> slice:
        begin = int(rng.integers(0, n - extent + 1))
        return slice(begin, begin + extent)

    rows, columns = int(rng.integers(70, 90)), int(rng.integers(80, 120))
    statements = []
    for _ in range(int(rng.integers(1, 6))):
        target = (a_slice(90, rows), a_slice(120, columns))
        line: list[Any] = []
        for _ in range(int(rng.integers(1, 4))):
            kind = rng.integers(4)
            if kind == 0:
                line.append((int(rng.integers(90)), a_slice(120, columns)))
            elif kind == 1:
                line.append((a_slice(90, rows), slice(*[int(rng.integers(119))] * 2)))
                line[-1] = (line[-1][0], slice(line[-1][1].start, line[-1][1].start + 1))
            elif kind == 2:
                line.append((slice(5, 6), slice(9, 10)))
            else:
                line.append((a_slice(90, rows), a_slice(120, columns)))
        statements.append((target, line, bool(rng.integers(2))))

    def program(a: Any) -> Any:
        kept = []
        for target, line, is_kept in statements:
            total = a[target] * 0.25
            for place in line:
                total = total + a[place] * 0.25
            if is_kept:
                kept.append(total)
            a[target] = total
        return [a, *kept]

    for ours, theirs in zip(program(fastnp.array(values())), program(values()), strict=True):
        assert_same(ours, theirs)


def test_the_copy_is_all_the_memory() -> None:
    a = fastnp.array(values(shape=(600, 700)))
    fastnp.eval(a)
    fastnp.reset_stats()
    held = fastnp.stats()["bytes_peak"]
    eliminate(fastnp, a)
    fastnp.eval(a)
    assert fastnp.stats()["bytes_peak"] < held + a.nbytes // 10
    assert "%0* = copy(%0" in fastnp.explain().replace("@1:f64", "").replace("@0:f64", "")
