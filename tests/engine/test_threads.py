"""Results do not depend on the number of threads, in any bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

ROWS, COLUMNS = 1100, 900

PROGRAMS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "a sum of all": lambda np, a, x: np.array([a.sum()]),
    "sums of rows": lambda np, a, x: a.sum(axis=1),
    "sums of columns": lambda np, a, x: a.sum(axis=0),
    "means and variances": lambda np, a, x: np.stack([a.mean(axis=0), a.var(axis=0)]),
    "products of all": lambda np, a, x: np.array([(1 + a[:40] / 1e3).prod()]),
    "running sums": lambda np, a, x: np.cumsum(a, axis=1),
    "functions": lambda np, a, x: np.sin(a) * np.exp(-a),
    "a row by a matrix": lambda np, a, x: x @ a,
    "a matrix by a column": lambda np, a, x: a.T @ x,
    "a matrix by a column, the other way round": lambda np, a, x: a @ x[:COLUMNS],
    "a part of a matrix": lambda np, a, x: x[5:] @ a[5:, 3:-3],
    "a reversed matrix": lambda np, a, x: x @ a[::-1, ::-1],
    "every other column": lambda np, a, x: x @ a[:, ::2],
    "a column by a part of a matrix": lambda np, a, x: a[:, 3] @ a[:, 390:],
    "few rows of a matrix": lambda np, a, x: x[:40] @ np.concatenate([a[:40]] * 20, axis=1),
    "two matrices": lambda np, a, x: a.T @ a,
}


def operands(np: Any, dtype: str) -> tuple[Any, Any]:
    values = numpy.random.default_rng(7).standard_normal((ROWS, COLUMNS))
    parts = values if dtype[0] == "f" else values + 1j * values[::-1]
    matrix = parts.astype(dtype)
    return np.array(matrix), np.array(matrix[:, 17].copy())


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_bits_do_not_depend_on_threads(name: str, dtype: str) -> None:
    program = PROGRAMS[name]
    seen = []
    for threads in (1, 2, 8):
        with fastnp.settings(num_threads=threads):
            seen.append(numpy.array(program(fastnp, *operands(fastnp, dtype))))
    expected = program(numpy, *operands(numpy, dtype))
    assert seen[0].tobytes() == seen[1].tobytes() == seen[2].tobytes()
    assert seen[0].dtype == expected.dtype
    scale = numpy.abs(expected).max()
    numpy.testing.assert_allclose(
        seen[0] / scale, expected / scale, rtol=0, atol=3e-5 if dtype == "float32" else 1e-12
    )


REDUCTIONS = """
    sum prod min max mean std var any all argmin argmax ptp count_nonzero cumsum cumprod
    nansum nanprod nanmin nanmax nanmean nanstd nanvar nanargmin nanargmax nancumsum nancumprod
    """.split()
DTYPES = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16".split()


def everywhere(np: Any, name: str, a: Any, axis: int | None) -> list[bytes]:
    """The bits of a reduction of a matrix and of a part of it; none where the type has none."""
    function = getattr(np, name)
    views = (a, a[::-2, 3:-3])
    try:
        with numpy.errstate(all="ignore"):
            return [numpy.asarray(function(view, axis=axis)).tobytes() for view in views]
    except TypeError:
        return []


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_bits_of_reductions_do_not_depend_on_threads(name: str, dtype: str) -> None:
    a, _ = operands(fastnp, dtype) if dtype[0] in "fc" else (integers(dtype), None)
    for axis in (None, 0, 1):
        seen = []
        for threads in (1, 2, 8):
            with fastnp.settings(num_threads=threads):
                seen.append(everywhere(fastnp, name, a, axis))
        assert seen[0] == seen[1] == seen[2], axis
        assert bool(seen[0]) == bool(everywhere(numpy, name, numpy.asarray(a[:9, :9]), axis))


def integers(dtype: str) -> Any:
    high = 2 if dtype == "?" else 100
    return fastnp.array(
        numpy.random.default_rng(7).integers(0, high, (ROWS, COLUMNS)).astype(dtype)
    )
