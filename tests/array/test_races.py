"""Index arrays in memory shared with NumPy that another thread changes while they are used.

NumPy fills its arrays without the GIL, so an index may change between its check and its use. The
outcome is NumPy's error or a result for values that were there; never a fault, a panic or memory
beyond an array.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

SECONDS = 0.08
OUTSIDE = 1 << 34
# From a million on a kernel runs without the GIL; ten thousand are copied at once.
SIZES = [10_000, 1_000_000]


def race(shared: Any, values: tuple[Any, Any], use: Callable[[], None]) -> None:
    """Call `use` while another thread fills `shared` with one value and the other in turn."""
    stopped = threading.Event()

    def write() -> None:
        while not stopped.is_set():
            for value in values:
                numpy.copyto(shared, value)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            use()
    finally:
        stopped.set()
        writer.join()
        numpy.copyto(shared, values[0])


READS: dict[str, Callable[[Any, Any], Any]] = {
    "elements": lambda a, i: a[i],
    "take": lambda a, i: a.take(i),
    "rows": lambda a, i: a.reshape(-1, 2)[i],
    "columns": lambda a, i: a.reshape(2, -1)[:, i],
    "two arrays of positions": lambda a, i: a.reshape(-1, 1)[i, i],
    "positions in another layout": lambda a, i: a[i[::-1]],
    "positions and a mask": lambda a, i: a.reshape(1, -1)[fastnp.array([True]), i],
}


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("size", SIZES)
def test_positions_that_change_before_a_read(name: str, size: int) -> None:
    raw = numpy.zeros(size, numpy.int64)
    index = fastnp.asarray(raw)
    a = fastnp.zeros(100)

    def use() -> None:
        try:
            read = numpy.asarray(READS[name](a, index))
        except IndexError:
            return
        assert not read.any()

    race(raw, (0, OUTSIDE), use)


WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "a number": lambda a, i: a.__setitem__(i, 1),
    "an array": lambda a, i: a.__setitem__(i, fastnp.ones(len(i))),
    "rows": lambda a, i: a.reshape(-1, 2).__setitem__(i, 1),
    "columns": lambda a, i: a.reshape(2, -1).__setitem__((slice(None), i), 1),
    "put": lambda a, i: a.put(i, 1),
}


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("size", SIZES)
def test_positions_that_change_before_a_write(name: str, size: int) -> None:
    raw = numpy.zeros(size, numpy.int64)
    index = fastnp.asarray(raw)
    a = fastnp.zeros(100)

    def use() -> None:
        try:
            WRITES[name](a, index)
        except IndexError:
            return
        assert numpy.asarray(a).sum() <= 2

    race(raw, (0, -OUTSIDE), use)


def test_single_positions_that_change_under_the_gil() -> None:
    raw = numpy.zeros(1_000_000, numpy.int64)
    index = fastnp.asarray(raw)
    a = fastnp.zeros(100)
    stopped = threading.Event()

    def write() -> None:
        at = 0
        while not stopped.is_set():
            raw[at % len(raw)] = OUTSIDE
            raw[at % len(raw)] = 0
            at += 997

    writer = threading.Thread(target=write)
    writer.start()
    try:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            with contextlib.suppress(IndexError):
                assert float(a[index].sum()) == 0
    finally:
        stopped.set()
        writer.join()


def selected_later(a: Any, m: Any) -> Any:
    selected = a[m]
    count = len(selected)
    assert float(selected.sum()) == count
    assert numpy.asarray(selected).shape == (count,)
    return selected


def counted(a: Any, m: Any) -> Any:
    assert 0 < fastnp.count_nonzero(m) <= m.size
    return a[:1]


def coordinates(a: Any, m: Any) -> Any:
    found = m.nonzero()
    assert all(int(x.min()) >= 0 and int(x.max()) < n for x, n in zip(found, m.shape, strict=True))
    return a[:1]


MASKED: dict[str, Callable[[Any, Any], Any]] = {
    "read": lambda a, m: a[m],
    "read later": selected_later,
    "rows": lambda a, m: fastnp.broadcast_to(a.reshape(-1, 1), (a.size, 3)).copy()[m],
    "a column of rows": lambda a, m: a.reshape(-1, 1)[m, 0],
    "two axes": lambda a, m: a.reshape(100, -1)[m.reshape(100, -1)],
    "coordinates": coordinates,
    "coordinates of two axes": lambda a, m: coordinates(a, m.reshape(100, -1)),
    "a count": counted,
    "a number": lambda a, m: a.__setitem__(m, 1),
    "one value": lambda a, m: a.__setitem__(m, fastnp.ones(1)),
    "as many values as are selected at times": lambda a, m: a.__setitem__(m, fastnp.ones(a.size)),
}


@pytest.mark.parametrize("name", MASKED)
@pytest.mark.parametrize("size", [1000, *SIZES])
def test_a_mask_that_changes_before_its_use(name: str, size: int) -> None:
    few = numpy.zeros(size, bool)
    few[::100] = True
    raw = few.copy()
    mask = fastnp.asarray(raw)
    a = fastnp.ones(size)

    def use() -> None:
        try:
            read = MASKED[name](a, mask)
        except (ValueError, IndexError):
            return
        assert (numpy.asarray(a if read is None else read) == 1).all()

    race(raw, (few, numpy.ones(size, bool)), use)


@pytest.mark.parametrize(
    "name", ["read", "read later", "coordinates", "coordinates of two axes", "one value"]
)
def test_a_mask_that_changes_before_its_use_on_a_device(name: str) -> None:
    with fastnp.device("mock"):
        test_a_mask_that_changes_before_its_use(name, 10_000)


def test_positions_in_the_memory_that_is_written() -> None:
    raw = numpy.zeros(10_000, numpy.int64)
    raw[0] = 1
    target, index = fastnp.asarray(raw), fastnp.asarray(raw)
    target[index] = fastnp.full(raw.size, OUTSIDE)
    numpy.testing.assert_array_equal(raw[:3], [OUTSIDE, OUTSIDE, 0])


def test_a_shared_mask_makes_another_selection_each_time() -> None:
    raw = numpy.zeros(100_000, bool)
    raw[:10] = True
    mask = fastnp.asarray(raw)
    a = fastnp.arange(1e5)
    first = a[mask]
    raw[:] = False
    raw[20:30] = True
    numpy.testing.assert_array_equal(numpy.asarray(first + a[mask]), numpy.arange(20.0, 40.0, 2))
    numpy.testing.assert_array_equal(numpy.asarray(first), numpy.arange(10.0))
