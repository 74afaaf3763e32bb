"""Products of vectors with one matrix, which are one pass over it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

from tests.compare import assert_same

ROWS, COLUMNS = 700, 900


def matrix(dtype: str = "d", rows: int = ROWS, columns: int = COLUMNS) -> Any:
    return numpy.random.default_rng(3).standard_normal((rows, columns)).astype(dtype)


def vector(n: int, dtype: str = "d", seed: int = 0) -> Any:
    return numpy.random.default_rng(seed).standard_normal(n).astype(dtype)


def near(got: Any, want: Any) -> None:
    for one, other in zip(got, want, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        bound = 1e-4 if one.dtype == "f" else 1e-12
        scale = numpy.abs(other).max()
        assert numpy.abs(numpy.asarray(one) - other).max() <= bound * scale


Program = Callable[..., tuple[Any, ...]]
ONE_PASS: dict[str, Program] = {
    "one vector from each side": lambda np, a, x, y: (a @ x, y @ a),
    "the other way round": lambda np, a, x, y: (y @ a, a @ x),
    "a product of a product": lambda np, a, x, y: ((a @ x) @ a,),
    "its parts as well": lambda np, a, x, y: (a @ x, (a @ x) @ a),
    "two vectors of one side": lambda np, a, x, y: (a @ x, a @ (x + 1)),
    "two sums of rows": lambda np, a, x, y: (y @ a, (y - 2) @ a),
    "a transposed matrix": lambda np, a, x, y: (a.T @ y, a @ x),
    "columns and rows": lambda np, a, x, y: (a @ x[:, None], y[None, :] @ a),
    "work between them": lambda np, a, x, y: (numpy_sum(np, y + a @ x), x * 2 + y @ a),
    "three": lambda np, a, x, y: (a @ x, y @ a, a @ (x * x)),
    "work on a product": lambda np, a, x, y: ((a @ x - y) @ a,),
    "a logistic gradient": lambda np, a, x, y: ((1 / (1 + np.exp(-(a @ x))) - y) @ a / 7,),
    "of columns": lambda np, a, x, y: (a.T @ (a @ x[:, None] - y[:, None]),),
    "choices": lambda np, a, x, y: (np.where(a @ x > y, y, 0.5) @ a,),
    "updated in place": lambda np, a, x, y: (updated(a @ x, y) @ a,),
    "work that is kept": lambda np, a, x, y: kept(a @ x, a),
}


def updated(t: Any, y: Any) -> Any:
    t -= y
    t *= 2
    return t


def kept(t: Any, a: Any) -> Any:
    squares = t * t
    return t, squares, squares @ a


def numpy_sum(np: Any, x: Any) -> Any:
    return x + np.exp(-x * x)


def ready(*arrays: Any) -> list[Any]:
    copies = [fastnp.array(array) for array in arrays]
    fastnp.eval(*copies)
    return copies


@pytest.mark.parametrize("dtype", ["d", "f"])
@pytest.mark.parametrize("name", ONE_PASS)
def test_products_of_one_matrix_are_one_pass(name: str, dtype: str) -> None:
    given = matrix(dtype), vector(COLUMNS, dtype), vector(ROWS, dtype, 1)
    program = ONE_PASS[name]
    operands = ready(*given)
    fastnp.reset_stats()
    got = program(fastnp, *operands)
    text = fastnp.explain(*got)
    fastnp.eval(*got)
    assert fastnp.stats()["fallbacks"] == 0
    assert str(text).count("with one matrix, in one pass over it") == 1
    near(got, program(numpy, *given))


NO_PASS: dict[str, Program] = {
    "a vector that depends on all": lambda np, a, x, y: (a @ (y @ a),),
    "an element of another row": lambda np, a, x, y: ((a @ x)[::-1] @ a,),
    "work on a sum of rows": lambda np, a, x, y: (a @ (y @ a + x),),
    "work that needs all rows": lambda np, a, x, y: ((a @ x - (a @ x).mean()) @ a,),
    "work on other rows": lambda np, a, x, y: ((y - (a @ x)[::-1]) @ a,),
    "another matrix": lambda np, a, x, y: (a @ x, y @ (a + 1)),
    "other rows": lambda np, a, x, y: (a[:-9] @ x, y[9:] @ a[9:]),
    "strided rows": lambda np, a, x, y: (a[:, ::2] @ x[::2], y @ a[:, ::2]),
}


@pytest.mark.parametrize("name", NO_PASS)
def test_other_products_are_steps_of_their_own(name: str) -> None:
    given = matrix(), vector(COLUMNS), vector(ROWS, seed=1)
    got = NO_PASS[name](fastnp, *ready(*given))
    text = fastnp.explain(*got)
    assert "in one pass over it" not in str(text)
    near(got, NO_PASS[name](numpy, *given))


def test_a_matrix_that_is_written_between_is_read_twice() -> None:
    given = matrix(), vector(COLUMNS), vector(ROWS, seed=1)
    a, x, y = ready(*given)
    first = a @ x
    a[5] += 1
    second = y @ a
    near(
        (first, second),
        (given[0] @ given[1], given[2] @ (given[0] + (numpy.arange(ROWS) == 5)[:, None])),
    )


def test_flags_are_reported_of_the_product_that_raised_them() -> None:
    a, x, y = ready(matrix(), vector(COLUMNS), vector(ROWS, seed=1))
    a[3, 3] = numpy.inf
    y[3] = 0
    fastnp.eval(a, y)
    with fastnp.errstate(invalid="raise"), pytest.raises(FloatingPointError, match="matmul"):
        fastnp.eval(a @ x, y @ a)


@pytest.mark.parametrize("seed", range(8))
def test_any_shapes_give_what_single_products_give(seed: int) -> None:
    """Sums of rows to the bit; inner products with rows depend on where blocks end."""
    r = random.Random(seed)
    for _ in range(6):
        tall, narrow = r.choice([(1, 1), (20, 0.02)])
        rows, columns = int(tall * r.randrange(64, 2500)), int(narrow * r.randrange(800, 2500))
        dtype = r.choice("fd")
        a, x, y = ready(
            matrix(dtype, rows, columns), vector(columns, dtype, 1), vector(rows, dtype, 2)
        )
        together = a @ x, y @ a, (a @ x) @ a
        fastnp.eval(*together)
        by_rows = a @ x
        fastnp.eval(by_rows)
        of_rows = y @ a
        fastnp.eval(of_rows)
        of_both = by_rows @ a
        fastnp.eval(of_both)
        apart = [numpy.asarray(one) for one in (by_rows, of_rows, of_both)]
        near(together, apart)
        assert_same(together[1], apart[1])


def random_program(r: random.Random) -> list[str]:
    """Statements over a matrix, vectors as long as its columns (p, q) and as its rows (u, v)."""
    of_rows, of_columns = ("u", "v"), ("p", "q")
    lines = []
    for _ in range(r.randrange(2, 9)):
        short, long = r.choice(of_rows), r.choice(of_columns)
        other = r.choice(of_rows)
        lines.append(
            r.choice(
                [
                    f"{short} = a @ {long}",
                    f"{long} = {short} @ a",
                    f"{long} = a.T @ {short}",
                    f"{short} = {short} * 0.5 + {other}",
                    f"{short} = {short} - {other}[::-1]",
                    f"{short} -= {other}",
                    f"{short}[3:] += {other}[:-3]",
                    f"{long} = np.where({long} > 0, {long}, {r.choice(of_columns)})",
                    f"{short} = np.exp(-abs({short})) * {other}",
                    f"{short} = {short} / (1 + abs({short}).max())",
                    f"a[{r.randrange(60)}] += {long}",
                    f"{long} = {long} / (1 + abs({long}))",
                    f"{short} = {short} / (1 + abs({short}))",
                ]
            )
        )
    return lines


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_give_what_numpy_gives(seed: int) -> None:
    r = random.Random(seed)
    for _ in range(4):
        lines = random_program(r)
        rows, columns = r.choice([(700, 900), (300, 500), (2000, 80), (10_000, 20), (1024, 1024)])
        found = []
        for np in (numpy, fastnp):
            names: dict[str, Any] = {"np": np, "a": np.array(matrix("d", rows, columns))}
            for i, (name, n) in enumerate(zip("uvpq", (rows, rows, columns, columns), strict=True)):
                names[name] = np.array(vector(n, seed=i))
            exec("\n".join(lines), names)
            found.append([numpy.asarray(names[name]) for name in "uvpqa"])
        for ours, theirs in zip(found[1], found[0], strict=True):
            scale = numpy.abs(theirs).max()
            assert numpy.abs(ours - theirs).max() <= 1e-9 * scale, lines
