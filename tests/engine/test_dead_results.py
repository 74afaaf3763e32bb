"""Speculative dead-result elimination: results that die unread after a scalar was computed from
them are not computed the next time.

It affects time and memory only.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

N = 20_000


def ready(*values: numpy.ndarray) -> tuple[fastnp.ndarray, ...]:
    arrays = tuple(fastnp.array(v) for v in values)
    fastnp.eval(*arrays)
    return arrays


def learnt(program: Callable[[], Any]) -> None:
    """Run a program until its results are known to die unread."""
    for _ in range(3):
        program()
    fastnp.flush()
    fastnp.reset_stats()


def test_what_is_summed_is_not_stored() -> None:
    (x,) = ready(numpy.linspace(0, 1, N))
    program: Callable[[], Any] = lambda: fastnp.sum(x * x)  # noqa: E731
    expected = program()
    learnt(program)
    before = fastnp.stats()["bytes_live"]
    fastnp.reset_stats()
    assert program() == expected
    assert fastnp.stats()["bytes_peak"] < before + 8 * N
    assert "not stored, as nothing read it the last time: %1" in fastnp.explain()
    assert fastnp.stats()["recomputed"] == 0


def test_locals_of_a_function_count_too() -> None:
    x, y = ready(numpy.linspace(0, 1, N), numpy.linspace(1, 3, N))

    def distance() -> Any:
        d = x - y
        return numpy.sqrt(float((d * d).sum()))

    expected = distance()
    learnt(distance)
    assert distance() == expected
    assert "not stored, as nothing read it the last time: %2, %3" in fastnp.explain()


def kept(x: Any) -> Any:
    """The squares, of which the sum was asked for while they were pending."""
    squares = x * x
    squares.sum()
    return squares


def drop(x: Any) -> None:
    kept(x)


def test_what_is_read_after_all_is_computed() -> None:
    (x,) = ready(numpy.linspace(0, 1, N))
    learnt(lambda: drop(x))
    squares = kept(x)
    assert numpy.array_equal(squares, numpy.linspace(0, 1, N) ** 2)
    assert fastnp.stats()["recomputed"] == 1


def test_it_is_computed_from_what_was_there() -> None:
    values = numpy.linspace(0, 1, N)
    (x,) = ready(values)
    learnt(lambda: drop(x))
    squares = kept(x)
    x += 1
    x[::2] = 7
    assert numpy.array_equal(squares, values**2)
    (y,) = ready(values)
    squares = kept(y)
    del y
    other = fastnp.ones(N) * 3
    assert numpy.array_equal(squares, values**2)
    assert numpy.array_equal(other, numpy.full(N, 3.0))


def test_memory_that_numpy_sees_is_not_relied_on() -> None:
    values = numpy.linspace(0, 1, N)
    (x,) = ready(values)
    learnt(lambda: drop(x))
    seen = numpy.asarray(x)
    squares = kept(x)
    seen[:] = 5
    assert numpy.array_equal(squares, values**2)


def test_what_was_written_since_is_not_recomputed() -> None:
    values = numpy.linspace(0, 1, N)

    def program(x: Any) -> Any:
        squares = x * x
        x += 1
        (squares + x).sum()
        return squares

    for _ in range(3):
        (x,) = ready(values)
        program(x)
    (x,) = ready(values)
    squares = program(x)
    assert numpy.array_equal(squares, values**2)
    assert numpy.array_equal(x, values + 1)


def test_what_is_often_read_is_stored_again() -> None:
    (x,) = ready(numpy.linspace(0, 1, N))
    learnt(lambda: drop(x))
    for _ in range(10):
        squares = kept(x)
        assert squares[3] == x[3] ** 2
    assert fastnp.stats()["recomputed"] <= 2


def test_warnings_come_once() -> None:
    (x,) = ready(numpy.full(N, 1e200))
    with numpy.errstate(over="ignore"):
        learnt(lambda: drop(x))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        squares = kept(x)
        assert numpy.isinf(squares[0])
    assert [str(w.message) for w in told] == ["overflow encountered in multiply"]


def test_memory_goes_when_the_last_result_does() -> None:
    def program() -> None:
        x = fastnp.ones(N) * 2
        fastnp.eval(x)
        fastnp.sum(x * x)

    learnt(program)
    before = fastnp.stats()["bytes_live"]
    program()
    assert fastnp.stats()["bytes_live"] == before


@pytest.mark.parametrize(
    "asked", [lambda x: fastnp.max(x), lambda x: fastnp.mean(x), lambda x: x.all()]
)
def test_every_number_counts(asked: Callable[[Any], Any]) -> None:
    (x,) = ready(numpy.linspace(0, 1, N))
    learnt(lambda: asked(x - 0.5))
    asked(x - 0.5)
    assert "not stored" in fastnp.explain()


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize(
    ("shape", "view"),
    [
        ((300,), ...),
        ((3_001,), ...),
        ((70_001,), ...),
        ((200, 300), ...),
        ((300, 401), numpy.s_[1:-1, 1:-1]),
        ((40, 50, 60), numpy.s_[1:-1, :40, 2:55]),
        ((5_000,), numpy.s_[::2]),
    ],
)
def test_sums_keep_their_bits(dtype: str, shape: tuple[int, ...], view: Any) -> None:
    (x,) = ready(numpy.random.default_rng(0).uniform(-2, 1, shape).astype(dtype))
    x = x[view]
    numbers: list[Callable[[], Any]] = [
        lambda: (x * x).sum(),
        lambda: fastnp.sum((x - 1) * x + 2),
        lambda: fastnp.mean(fastnp.abs(x)),
        lambda: fastnp.prod(x * 0.001 + 1),
    ]
    with fastnp.settings(tiny=0), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in numbers:
            assert len({complex(number()) for _ in range(4)}) == 1


MASKED: dict[str, Callable[[Any, float], Any]] = {
    "mean": lambda x, t: x[x > t].mean(),
    "sum": lambda x, t: x[x > t].sum(),
    "least": lambda x, t: x[x > t].min(),
    "largest": lambda x, t: x[x < t].max(),
}


@pytest.mark.parametrize("name", MASKED)
def test_a_mask_that_is_reduced_is_not_stored(name: str) -> None:
    values = numpy.linspace(0, 1, N)
    (x,) = ready(values)
    program = MASKED[name]
    learnt(lambda: program(x, 0.5))
    before = fastnp.stats()["bytes_live"]
    fastnp.reset_stats()
    for t in (0.25, 0.5, 0.75):
        assert numpy.isclose(program(x, t), program(values, t), rtol=1e-12)
    assert fastnp.stats()["kernels_launched"] == 3
    assert fastnp.stats()["bytes_peak"] < before + N
    assert fastnp.stats()["recomputed"] == 0


def test_a_selection_that_is_reduced_and_then_read_is_computed() -> None:
    values = numpy.linspace(0, 1, N)
    (x,) = ready(values)
    learnt(lambda: x[x > 0.5].mean())
    selected = x[x > 0.25]
    assert numpy.isclose(selected.mean(), values[values > 0.25].mean(), rtol=1e-12)
    x += 1
    assert numpy.array_equal(selected, values[values > 0.25])
    assert selected.max() == 1.0 and len(selected) == (values > 0.25).sum()


@pytest.mark.parametrize("asked", ["mean", "min", "max"])
def test_what_selects_nothing_is_as_in_numpy(asked: str) -> None:
    values = numpy.linspace(0, 1, N)
    (x,) = ready(values)
    learnt(lambda: getattr(x[x > 0.5], asked)())
    for a in (values, x):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                result = repr(getattr(a[a > 2.0], asked)())
            except ValueError as error:
                result = str(error)
        found = (result, [str(w.message) for w in told])
        if a is values:
            expected = found
    assert found == expected
