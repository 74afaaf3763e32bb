"""Array statements in compiled loops that call kernels of the engine."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest
from fastnp import _fastnp
from fastnp._loops import direct_loops, formulas

pytestmark = pytest.mark.skipif(
    not hasattr(_fastnp, "LoopProgram"), reason="this build has no code generator for loops"
)


def diffuse(np: Any, x: Any, y: Any) -> Any:
    total = 0.0
    for _ in range(40):
        y[1:-1] = np.exp(-abs(x[1:-1])) + 0.25 * (x[2:] + x[:-2])
        x[:] = np.where(y > 0.5, y * 0.75, np.maximum(x, -1.0))
        total += float(np.abs(y).max()) + float((x * y).min())
    return total


def rows(np: Any, x: Any, y: Any) -> Any:
    found = 0.0
    for k in range(30):
        y -= np.rint(x * 8).mean(axis=1, keepdims=True) * np.tanh(y)
        x[:, 1:] = np.hypot(x[:, :-1], y[:, 1:]) / (k + 1.5)
        z = np.floor(x.T * 8) + np.rint(y.max(axis=0) * 4)
        found += float(z.sum()) + int((z > 0).any()) + int(np.argmax(y))
    return found


def narrow(np: Any, x: Any, y: Any) -> Any:
    for _ in range(30):
        y[...] = x[::-1] * 3 + (x > 4)
        x[2:] = y[:-2] // 2
    return x.sum()


def indexed(np: Any, x: Any, y: Any) -> Any:
    total = 0.0
    for k in range(25):
        y[1:] = (x * 2.0 + y)[:-1] / 3
        q = x.copy()[::2] * 1.0
        x[k % 3] = 7.5 - k
        column = (x + y).max() - y.sum() * np.exp(-np.abs(x))[k % len(x)]
        total += float(q.sum()) + float(np.floor(y * 4)[x > 0.5].sum()) + float(column)
    return total


def scaled(np: Any, x: Any, y: Any) -> Any:
    for k in range(20):
        y[1:-1] = np.exp(x[1:-1]) * 2
        x += 100 * (k > 10)
    return y.sum()


def smoothed(np: Any, x: Any, y: Any, turns: int) -> None:
    for _ in range(turns):
        y[1:-1, 1:-1] = 0.25 * (x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2])
        x[1:-1, 1:-1] = 0.25 * (y[2:, 1:-1] + y[:-2, 1:-1] + y[1:-1, 2:] + y[1:-1, :-2])


def meaned(np: Any, x: Any, y: Any, factor: float, turns: int) -> None:
    for _ in range(turns):
        y[1:-1] = factor * (x[:-2] + x[1:-1] + x[2:])
        x[1:-1] = factor * (y[:-2] + y[1:-1] + y[2:])


def made(n: int, dtype: str, ndim: int) -> list[numpy.ndarray]:
    """Two arrays of different values, the second a transposed copy if it has two axes."""
    shape = (n,) * ndim
    x = (numpy.arange(n**ndim).reshape(shape) * 37 % 19 / 7 - 1).astype(dtype)
    return [x, numpy.ascontiguousarray((x * 0.5 + 0.3).T).T.astype(dtype)]


def run_both(function: Callable[..., Any], arrays: list[numpy.ndarray]) -> list[list[Any]]:
    """The results and the arrays afterwards, of arrays of ours: compiled, and as Python runs it."""
    found = []
    for run in (fastnp.jit(strict=True)(function), function):
        given = [fastnp.array(array, order="K") for array in arrays]
        found.append([run(fastnp, *given), *given])
    return found


def agree(compiled: list[Any], expected: list[Any]) -> None:
    for one, other in zip(compiled, expected, strict=True):
        assert numpy.asarray(one).dtype == numpy.asarray(other).dtype
        numpy.testing.assert_array_equal(one, other)


@pytest.fixture(params=["some", "all"])
def kernels(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Statements on enough elements call kernels, or all do."""
    if request.param == "all":
        for name in [name for name in vars(formulas) if name.startswith("LEAST_")]:
            monkeypatch.setattr(formulas, name, 0)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("n", [2, 3, 7, 100, 3000])
def test_values_along_one_axis(n: int, dtype: str) -> None:
    agree(*run_both(diffuse, made(n, dtype, 1)))


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("n", [3, 7, 200, 3000])
def test_what_is_computed_may_be_indexed(n: int) -> None:
    x, y = made(n, "f8", 1)
    compiled, expected = run_both(indexed, [numpy.rint(x * 4) / 4, numpy.rint(y * 4)])
    assert compiled[0] == pytest.approx(expected[0], rel=1e-12)
    agree(compiled[1:], expected[1:])


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("n", [20, 60])
def test_values_and_reductions_of_rows_and_columns(n: int, dtype: str) -> None:
    agree(*run_both(rows, made(n, dtype, 2)))


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("dtype", ["i8", "i4", "i2", "u1"])
def test_integers_and_conversions(dtype: str) -> None:
    x = numpy.arange(500).astype(dtype)
    agree(*run_both(narrow, [x, numpy.zeros(500, dtype)]))


def test_a_kernel_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    called = []

    def noting(of: Any) -> Any:
        def noted(*arguments: Any) -> None:
            called.append(of.__name__)
            of(*arguments)

        return noted

    monkeypatch.setattr(formulas, "run", noting(formulas.run))
    monkeypatch.setattr(direct_loops, "compute", noting(direct_loops.compute))
    run_both(diffuse, made(3000, "f8", 1))
    assert len(called) >= 4
    assert "run" in called


@pytest.mark.parametrize("errors", ["warn", "raise"])
def test_warnings_and_errors_are_those_of_the_interpreter(errors: Any) -> None:
    outcomes = []
    for run in (fastnp.jit(scaled), scaled):
        x, y = map(fastnp.array, made(900, "f8", 1))
        with warnings.catch_warnings(record=True) as warned, numpy.errstate(all=errors):
            warnings.simplefilter("always")
            texts = []
            try:
                run(fastnp, x, y)
            except FloatingPointError as error:
                texts.append(str(error))
            fastnp.flush()
        texts += [f"{one.message} at {one.lineno}" for one in warned]
        outcomes.append((texts, x.tolist(), y.tolist()))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0]


def test_an_array_of_numpy_is_stored_to_after_the_warning() -> None:
    def compute(np: Any, x: Any, ours: Any, theirs: Any, turns: int) -> None:
        for k in range(turns):
            ours[:] = x * 2.0
            theirs[:] = x * 10.0**k

    x = numpy.linspace(1, 2, 900)
    theirs = numpy.zeros(900)
    given = fastnp.array(x), fastnp.zeros(900), theirs
    compiled = fastnp.jit(strict=True)(compute)
    compiled(fastnp, *given, 300)
    assert (theirs == x * 1e299).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises((RuntimeWarning, fastnp.LoopError)):
            compiled(fastnp, *given, 310)
    assert (theirs == x * 1e307).all()


def test_what_is_not_ours_keeps_the_bits_of_numpy() -> None:
    def compute(np: Any, x: Any, y: Any) -> None:
        for _ in range(50):
            y[:] = np.exp(x) + np.sin(x)

    x, y = made(999, "f8", 1)
    compiled = fastnp.jit(compute)
    compiled(numpy, x, y)
    assert (y == numpy.exp(x) + numpy.sin(x)).all()


def test_flags_that_were_ignored_before_are_reported() -> None:
    def warned(run: Callable[..., Any]) -> list[str]:
        with numpy.errstate(all="ignore"):
            fastnp.eval(fastnp.ones(5000) / 0.0)
        x, y = (fastnp.array(array) for array in made(60, "d", 1))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run(fastnp, x, y)
        return sorted({str(w.message) for w in caught})

    found = warned(fastnp.jit(scaled))
    assert found == warned(scaled)
    assert "overflow encountered in exp" in found


def test_launches_that_were_made_before() -> None:
    compiled = fastnp.jit(smoothed)
    # More forms than are kept of a kernel, two of them in turns.
    shapes = [(30 + k, 25 + 3 * k) for k in range(11)]
    for shape in [*shapes, *shapes[:2] * 3]:
        for start in (0, 3):
            kept = [numpy.random.default_rng(1).random(shape[0] * shape[1] + 8) for _ in "xy"]
            both = [[array.copy() for array in kept], [fastnp.array(array) for array in kept]]
            views = [
                [array[start : start + shape[0] * shape[1]].reshape(shape) for array in arrays]
                for arrays in both
            ]
            (a, b), (c, d) = views
            smoothed(numpy, a, b, 60)
            compiled(fastnp, c, d, 60)
            for expected, found in zip(*both, strict=True):
                assert (numpy.asarray(found) == expected).all(), (shape, start)


@pytest.mark.parametrize("n", [700, 3000])
def test_launches_that_were_made_before_warn(n: int) -> None:
    def warned(run: Callable[..., Any]) -> tuple[set[str], numpy.ndarray]:
        x, y = (fastnp.array(array) for array in made(n, "d", 1))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run(fastnp, x, y, 0.3333, 300)
            run(fastnp, x, y, 1e9, 40)
            fastnp.eval(x, y)
        return {str(w.message) for w in caught}, numpy.concatenate([x, y])

    found, expected = warned(fastnp.jit(meaned)), warned(meaned)
    assert found[0] == expected[0] != set()
    numpy.testing.assert_array_equal(found[1], expected[1])
