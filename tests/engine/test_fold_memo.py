"""Folds of the same elements to numbers, one after the other: the second is there after the first.

It affects time only: a number is that of the elements when it is asked for, whatever wrote them.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import fastnp
import numpy
import pytest

from tests.compare import assert_same

N = 100_000


@pytest.fixture(autouse=True, params=["cpu", "mock"])
def forgotten_plans(request: pytest.FixtureRequest) -> Iterator[None]:
    """Plans are made anew, so that none has learnt of another test; on each device."""
    fastnp.settings(backend=str(fastnp.settings()["backend"]["value"]))
    with fastnp.device(request.param):
        yield


def fresh(seed: int = 0, n: int = N) -> tuple[Any, numpy.ndarray]:
    """An evaluated array, and NumPy's copy of it."""
    values = numpy.random.default_rng(seed).normal(size=n)
    x = fastnp.array(values)
    fastnp.eval(x)
    return x, values


def kernels(program: Callable[[], Any]) -> tuple[int, Any]:
    fastnp.reset_stats()
    result = program()
    fastnp.eval(*[x for x in (result,) if isinstance(x, fastnp.ndarray)])
    return fastnp.stats()["kernels_launched"], result


def writeable(x: Any) -> Any:
    return memoryview(x)


def learn(first: str, then: str) -> None:
    """Let a fold follow another one."""
    x, values = fresh(99)
    for name in (first, then):
        assert getattr(x, name)() == getattr(values, name)()


def test_what_follows_once_is_computed_along_the_next_time() -> None:
    learn("min", "max")
    x, values = fresh(1)
    assert kernels(lambda: x.min()) == (1, values.min())
    assert "max(" in fastnp.explain()
    assert kernels(lambda: x.max()) == (0, values.max())
    assert kernels(lambda: x.min()) == (0, values.min())


def test_a_number_asked_for_twice_in_a_row_is_computed_twice() -> None:
    x, _ = fresh()
    assert [kernels(lambda: x.max())[0] for _ in range(3)] == [1, 1, 1]


def test_a_fold_that_does_not_follow_is_forgotten() -> None:
    learn("min", "max")
    for seed in range(8):
        x, values = fresh(seed)
        assert x.min() == values.min()
    # Later folds find out that the predictions of earlier ones were wrong.
    assert "max(" not in fastnp.explain()
    for seed in range(100):
        x, values = fresh(seed, N)
        assert (x.min(), x.max()) == (values.min(), values.max())
    x, values = fresh()
    assert (kernels(lambda: x.min())[0], kernels(lambda: x.max())[0]) == (1, 0), "learnt again"


def test_sums_that_round_have_the_bits_they_have_alone() -> None:
    x, _ = fresh()
    alone = x.sum(), x.mean()
    for _ in range(4):
        x, _ = fresh()
        assert (x.min(), x.sum(), x.max(), x.mean())[1::2] == alone


def test_whole_numbers_add_along() -> None:
    def program(np: Any, x: Any) -> Any:
        return x.sum(), x.max(), x.min()

    for seed in range(3):
        values = numpy.random.default_rng(seed).integers(-1000, 1000, N)
        x = fastnp.array(values)
        fastnp.eval(x)
        number, result = kernels(partial(program, fastnp, x))
        assert_same(result, program(numpy, values))
    assert number == 1


WRITES: dict[str, Callable[[Any, Any], None]] = {
    "an element": lambda np, x: x.__setitem__(5, 1000.0),
    "in place": lambda np, x: x.__iadd__(1),
    "a view": lambda np, x: x[10:20].__setitem__(slice(None), 500.0),
    "an output": lambda np, x: np.multiply(x, 2, out=x),
    "a mask": lambda np, x: x.__setitem__(x > 1, 77.0),
    "positions": lambda np, x: x.__setitem__([3, 4], 88.0),
    "updates at positions": lambda np, x: np.add.at(x, [3, 3], 99.0),
    "a slice": lambda np, x: x.__setitem__(slice(0, 50), numpy.full(50, 3333.0)),
    "sorting": lambda np, x: x.sort(),
    "a memory view": lambda np, x: writeable(x).__setitem__(7, 4444.0),
    "NumPy": lambda np, x: numpy.asarray(x).__setitem__(8, 5555.0),
    "NumPy's function": lambda np, x: numpy.copyto(x, numpy.arange(x.size * 1.0)),
    "fill": lambda np, x: x.fill(9.0),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_write_is_seen(name: str) -> None:
    write = WRITES[name]

    def program(np: Any, x: Any) -> list[Any]:
        numbers = [x.min(), x.max(), x.mean()]
        write(np, x)
        numbers += [x.max(), x.min(), x.max()]
        write(np, x)
        return [*numbers, x.min(), x.var(), x.max()]

    for seed in range(3):
        x, values = fresh(seed)
        assert_same(tuple(program(fastnp, x)), tuple(program(numpy, values)), rtol=1e-12)


def test_memory_that_others_write_is_read_each_time() -> None:
    learn("min", "max")
    x, _ = fresh()
    other = numpy.asarray(x)
    for value in (100.0, 200.0, 300.0):
        other[3], other[4] = value, -value
        assert (x.min(), x.max(), x.min()) == (-value, value, -value)
    given = numpy.zeros(N)
    x = fastnp.asarray(given)
    for value in (100.0, 200.0, 300.0):
        given[3], given[4] = value, -value
        assert (x.min(), x.max(), x.min()) == (-value, value, -value)


def test_memory_that_others_wrote_meanwhile_is_read_again() -> None:
    learn("min", "max")
    x, _ = fresh()
    assert x.min() < 100.0
    view = writeable(x)
    view[0] = 100.0
    view.release()
    assert x.max() == 100.0


def test_a_reused_array_has_no_numbers() -> None:
    learn("min", "max")
    for seed in range(20):
        x, values = fresh(seed, N + seed % 3)
        assert (x.min(), x.max()) == (values.min(), values.max())
        del x


def test_a_variance_begins_with_the_mean_that_was_read() -> None:
    x, values = fresh()
    assert kernels(lambda: x.mean())[0] == 1
    number, result = kernels(lambda: x.std())
    assert number == 1
    assert_same(result, values.std(), rtol=1e-12)
    # Alone it has the same bits.
    again, _ = fresh()
    assert again.std() == result


def test_a_mean_in_between_does_not_matter() -> None:
    def program(np: Any, x: Any) -> Any:
        return x.min(), x.mean(), x.sum(), x.max()

    for seed in range(3):
        x, values = fresh(seed)
        number, result = kernels(partial(program, fastnp, x))
        assert_same(result, program(numpy, values), rtol=1e-10)
    assert number == 3


def test_pending_elements_are_folded_once_for_both() -> None:
    def program(np: Any, x: Any) -> Any:
        y = np.sqrt(np.abs(x)) + 1
        return (y - y.min()) / (y.max() - y.min())

    for seed in range(3):
        x, values = fresh(seed)
        number, result = kernels(partial(program, fastnp, x))
        assert_same(result, program(numpy, values))
    assert number == 2


def test_warnings_come_each_time() -> None:
    x = fastnp.array([1e308] * N)
    fastnp.eval(x)
    for _ in range(2):
        with pytest.warns(RuntimeWarning, match="overflow"):
            assert numpy.isinf(x.mean())
        with pytest.warns(RuntimeWarning):
            x.std()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (x.min(), x.max()) == (1e308, 1e308)


def test_nans_are_kept() -> None:
    learn("min", "max")
    x, _ = fresh()
    x[17] = numpy.nan
    assert numpy.isnan(x.min()) and numpy.isnan(x.max()) and numpy.isnan(x.min())


def test_results_are_arrays_of_their_own() -> None:
    x, values = fresh()
    assert x.min() < x.max()
    first, second = x.min(keepdims=True), x.min(keepdims=True)
    first += 1
    assert second[0] == values.min() and x.min() == values.min()
    largest = x.max(keepdims=True)
    largest += 1
    assert largest.item() == values.max() + 1 and x.max() == values.max()
    mean = x.mean(keepdims=True)
    mean += 1
    assert_same((mean[0], x.var()), (values.mean() + 1, values.var()), rtol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_random_numbers_and_writes(seed: int) -> None:
    """Small arrays are recorded too, and several are folded in turn."""
    choose = random.Random(seed)
    kinds = ["f8", "f4", "i4", "u1", "c16"]
    with fastnp.settings(tiny=0), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = [(numpy.arange(24) * 7 % 11).astype(choose.choice(kinds)) for _ in range(6)]
        arrays = [fastnp.array(value) for value in values]
        for step in range(800):
            at = choose.randrange(6)
            x, value = arrays[at], values[at]
            way = choose.choice(["min", "max", "max", "sum", "mean", "std", "write", "view", "new"])
            if way == "write":
                where = choose.randrange(24)
                x[where] = value[where] = step % 100
            elif way == "view":
                part = slice(choose.randrange(10), choose.randrange(12, 24))
                assert x[part].max() == value[part].max()
                x[part] += 1
                value[part] += 1
            elif way == "new":
                values[at] = value[::-1].copy()
                arrays[at] = x[::-1] + 0
            else:
                assert_same(getattr(x, way)(), getattr(value, way)(), rtol=1e-6)
