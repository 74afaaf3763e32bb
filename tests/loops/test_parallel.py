"""`parallel_for`, `parallel_reduce`, `parallel_scan`: what the items do one after the other."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from typing import Any

import fastnp as np
import numpy
import pytest
from fastnp._loops import elementwise, parallel
from fastnp._loops.compiler import Compiled

OFFSET = 2.5


def axpy(i: int, a: float, x: Any, y: Any) -> None:
    y[i] += a * x[i]


def two_stores(i: int, x: Any, y: Any) -> None:
    y[i] = x[i] + OFFSET
    if x[i] < 0:
        return
    x[i] = y[i] * 2


def rebinds(i: int, x: Any, y: Any, n: int) -> None:
    for k in range(n):
        x = x + 0.0 if k > 99 else x
        n = n + 1
    y[i] = x[i] * n


def neighbours(i: int, j: int, a: Any, out: Any) -> None:
    if i == 0 or j == 0:
        out[i, j] = -1.0
        return
    out[i, j] = a[i, j] + a[i - 1, j] + a[i, j - 1]


def fails_late(i: int, x: Any, y: Any) -> None:
    y[i] = i
    y[i] = x[i]


def returns_from_a_loop(i: int, x: Any, y: Any) -> int:
    for k in range(3):
        if x[i] > k:
            y[i] = k
            return k
    return 0


@pytest.fixture(autouse=True)
def shared_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elementwise, "SHARED_FROM", 0.0)
    monkeypatch.setattr(parallel, "PART", 8)


def one_after_the_other(extent: Any, item: Callable[..., Any], *arguments: Any) -> None:
    shape = (extent,) if isinstance(extent, int) else extent
    for index in numpy.ndindex(*shape):
        item(*index, *arguments)


@pytest.mark.parametrize(
    ("extent", "item", "more"),
    [
        (1000, axpy, ()),
        (1000, two_stores, ()),
        (1000, rebinds, (3,)),
        (1000, returns_from_a_loop, ()),
        ((40, 25), neighbours, ()),
        (0, axpy, ()),
    ],
)
def test_items_do_what_they_do_one_after_the_other(extent: Any, item: Any, more: Any) -> None:
    shape = (extent or 1,) if isinstance(extent, int) else extent
    start = numpy.random.default_rng(3).normal(size=(2, *shape))
    first = () if item is not axpy else (1.5,)
    want = start.copy()
    one_after_the_other(extent, item, *first, want[0], want[1], *more)
    have = start.copy()
    np.parallel_for(extent, item, *first, have[0], have[1], *more)
    assert numpy.array_equal(have, want)
    ours = [np.asarray(start[0].copy()), np.asarray(start[1].copy())]
    np.parallel_for(extent, item, *first, *ours, *more)
    assert numpy.array_equal(numpy.asarray(ours[1]), want[1])
    with np.settings(loops=0):
        have = start.copy()
        np.parallel_for(extent, item, *first, have[0], have[1], *more)
    assert numpy.array_equal(have, want)


def test_items_run_compiled_in_several_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = []
    run = Compiled.run_tasks

    def counted(loop: Any, names: Any, turns: range, number: int) -> Any:
        tasks.append(number)
        return run(loop, names, turns, number)

    monkeypatch.setattr(Compiled, "run_tasks", counted)
    x, y = numpy.ones(10_000), numpy.zeros(10_000)
    np.parallel_for(10_000, axpy, 2.0, x, y)
    assert (y == 2.0).all()
    assert max(tasks) > 1


def test_an_item_that_raises() -> None:
    x, y = numpy.arange(90.0), numpy.zeros(100)
    with pytest.raises(
        IndexError, match=r"index 9[0-9] is out of bounds for axis 0 with size 90"
    ) as e:
        np.parallel_for(100, fails_late, x, y)
    # In the source of the item, at its second statement.
    last = e.traceback[-1]
    assert last.lineno + 1 == inspect.getsourcelines(fails_late)[1] + 2
    assert (y[:90] == x).all()


def test_an_item_that_leaves_often_is_run_once_for_each_index() -> None:
    counts = numpy.zeros(500, dtype=int)
    seen: list[int] = []

    def noted(i: int, counts: Any) -> None:
        counts[i] += 1
        if i % 7 == 0:
            seen.append(i)
        counts[i] += 10

    np.parallel_for(500, noted, counts)
    assert (counts == 11).all()
    assert sorted(seen) == list(range(0, 500, 7))


def plus(i: int, s: Any, x: Any) -> Any:
    return s + x[i]


def affine(i: int, s: Any, a: Any, b: Any) -> Any:
    return a[i] * s + b[i]


def least_and_place(i: int, s: Any, x: Any) -> Any:
    least, place = s
    if x[i] < least:
        return x[i], i
    return least, place


def lesser(a: Any, b: Any) -> Any:
    return b if b[0] < a[0] else a


def test_reductions() -> None:
    x = numpy.random.default_rng(5).integers(-9, 9, 1000).astype(float)
    for array in (x, np.asarray(x), x.astype(int)):
        total = np.parallel_reduce(1000, plus, array, initial=0)
        assert total == x.sum()
        assert type(total) is type(array[0])
        assert np.parallel_reduce(1000, plus, array, initial=0, combine=operator.add) == x.sum()
    least = np.parallel_reduce(1000, least_and_place, x, initial=(numpy.inf, -1), combine=lesser)
    assert least == (x.min(), x.argmin())
    assert np.parallel_reduce((10, 100), lambda i, j, s: s + i * j, initial=0) == 45 * 4950
    assert np.parallel_reduce(0, plus, x, initial=7) == 7
    assert np.parallel_reduce(1, plus, x, initial=7) == 7 + x[0]
    with pytest.raises(IndexError):
        np.parallel_reduce(1001, plus, x)


def test_the_number_of_threads_changes_no_bit() -> None:
    x = numpy.random.default_rng(6).normal(size=5000)
    totals = set()
    for threads in (1, 2, 5):
        with np.settings(num_threads=threads):
            totals.add(float(np.parallel_reduce(5000, plus, x, combine=operator.add)))
    assert len(totals) == 1


def test_scans() -> None:
    rng = numpy.random.default_rng(8)
    a, b = rng.normal(size=(2, 1000))
    want, state = [], 0.5
    for i in range(1000):
        state = affine(i, state, a, b)
        want.append(state)
    have = np.parallel_scan(1000, affine, a, b, initial=0.5)
    assert type(have) is np.ndarray
    assert numpy.array_equal(numpy.asarray(have), want)
    whole = rng.integers(-9, 9, 1000)
    for combine in (None, operator.add):
        have = np.parallel_scan(
            (40, 25), lambda i, j, s, x: s + x[25 * i + j], whole, initial=0, combine=combine
        )
        assert have.shape == (40, 25)
        assert have.dtype == whole.dtype
        assert numpy.array_equal(numpy.asarray(have).ravel(), numpy.cumsum(whole))
        places = np.parallel_scan(
            1000,
            least_and_place,
            whole,
            initial=(99, -1),
            combine=None if combine is None else lesser,
        )
        assert numpy.array_equal(numpy.asarray(places[0]), numpy.minimum.accumulate(whole))
    assert np.parallel_scan(0, plus, a).shape == (0,)


def test_bad_extents() -> None:
    for extent in (-1, (), (2, -1)):
        with pytest.raises(ValueError, match="an extent is"):
            np.parallel_for(extent, axpy)
    with pytest.raises(TypeError, match="required positional argument"):
        np.parallel_for(3, axpy, 1.0)


def bump(a: Any, i: int) -> float:
    a[i] += 1.0
    return 1.0


def test_items_whose_calls_store_are_run_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for run in (np.parallel_reduce, np.parallel_scan):
        counts = numpy.zeros(200)
        run(200, lambda i, s, a: s + bump(a, i), counts, initial=0.0)
        assert (counts == 1.0).all()
    counts = numpy.zeros(200)
    np.parallel_for(200, lambda i, a: bump(a, i), counts)
    assert (counts == 1.0).all()
    calls = numpy.zeros(4)
    results = []
    monkeypatch.setattr(elementwise, "COMPILE_AFTER", 0.0)
    for vectorize in (numpy.vectorize, np.vectorize):
        calls[:] = 0
        vectorize(lambda x: bump(calls, 1))(numpy.arange(5.0))
        results.append(calls.copy())
    assert numpy.array_equal(results[0], results[1])
