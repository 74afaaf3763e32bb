"""Compiled code that reads and writes arrays by their `PyArrayObject`, pending or not.

Random programs with such code are those of `tests.fuzz` in the surroundings `compiled`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import fastnp
import numpy
import pytest
from fastnp._fastnp import resolved_faults

from tests.headers import DATA, WITH_THE_GIL, WITHOUT, field, read, shape, strides, write

N = 50_000


@pytest.mark.parametrize("n", [1, 10, 1500, 3000, 9000, N, 1_000_003])
@pytest.mark.parametrize("copy", [WITH_THE_GIL, WITHOUT], ids=["GIL", "no GIL"])
def test_pending_contents_are_computed_when_they_are_touched(n: int, copy: Any) -> None:
    x = fastnp.arange(float(n)) * 2 + 1
    expected = numpy.arange(float(n)) * 2 + 1
    assert (read(field(x, DATA), n, copy) == expected).all()
    y = fastnp.sqrt(x * 3)
    assert shape(y) == (n,)
    assert numpy.allclose(read(field(y, DATA), n, copy), numpy.sqrt(expected * 3), rtol=1e-15)


@pytest.mark.parametrize("n", [10, 5000, N])
def test_an_address_stays_right(n: int) -> None:
    """What was shown once faults again, or stays open, whatever is done with the array."""
    x: Any = fastnp.zeros(n) + 1
    address, expected = field(x, DATA), 1.0
    for turn in range(10):
        x += turn
        x *= 2
        expected = (expected + turn) * 2
        assert (read(address, n) == expected).all()
        write(address, [turn, turn])
        assert x[:3].tolist() == [turn, turn, expected]
        later = x + 1
        write(address, [7.0, 7.0])
        assert later[:2].tolist() == [turn + 1, turn + 1], "what was written after the operation"
        x[:2] = expected


def test_views_have_addresses_of_their_own() -> None:
    x = (fastnp.arange(float(N)) + 1).reshape(500, 100)
    y = x[10:20, ::2].T
    assert shape(y) == (50, 10)
    assert strides(y) == (16, 800)
    assert read(field(y, DATA), 1)[0] == 1001.0
    assert field(y, DATA) == field(x, DATA) + 8000


@pytest.mark.parametrize("axes", [1, 3, 5, 64])
def test_any_number_of_axes(axes: int) -> None:
    x = fastnp.ones((1,) * (axes - 1) + (N,)) * 3
    assert shape(x) == x.shape
    assert read(field(x, DATA), 1)[0] == 3.0
    x = x * 2
    x.shape = (*x.shape, 1) if axes < 64 else x.shape
    assert shape(x) == x.shape


def test_the_length_of_a_selection_is_computed_when_it_is_touched() -> None:
    x = fastnp.arange(float(N))
    y = x[x % 3 == 0]
    assert shape(y) == (16667,)
    assert (read(field(y, DATA), 16667) == numpy.arange(0, N, 3.0)).all()


@pytest.mark.parametrize("take", [numpy.asarray, numpy.ascontiguousarray, memoryview])
def test_the_system_reads_what_was_looked_at(take: Callable[[Any], Any], tmp_path: Path) -> None:
    """It does not fault: `write(2)` refuses an address without access."""
    file = tmp_path / "x"
    x = fastnp.arange(float(N)) * 2
    with open(file, "wb", buffering=0) as opened:
        assert os.write(opened.fileno(), take(x)) == 8 * N
    assert (numpy.fromfile(file) == numpy.arange(float(N)) * 2).all()
    numpy.save(tmp_path / "y.npy", take(fastnp.sqrt(x)))
    assert (numpy.load(tmp_path / "y.npy") == numpy.sqrt(numpy.arange(float(N)) * 2)).all()


@pytest.mark.parametrize("take", [numpy.asarray, numpy.ravel, memoryview, numpy.ascontiguousarray])
def test_memory_that_numpy_allocated(take: Callable[[Any], Any]) -> None:
    """It has no guarded address; who looks at the shape sees what is pending, then and later."""
    x = fastnp.delete(fastnp.arange(N + 1.0), 3)
    expected = numpy.delete(numpy.arange(N + 1.0), 3)
    x += 1
    later = x * 2
    y = x[::2]
    assert shape(y) == (N // 2,)
    assert (read(field(y, DATA), 1) == expected[:1] + 1).all()
    v = take(x)
    assert v[1] == expected[1] + 1 and v[-1] == expected[-1] + 1
    v[0] = 70
    x *= 3
    assert v[0] == 210 and v[1] == 3 * (expected[1] + 1)
    assert later[0] == 2 and (numpy.asarray(later) == 2 * (expected + 1)).all()


def test_threads_without_the_gil_touch_at_once() -> None:
    for _ in range(20):
        arrays = [fastnp.arange(float(N)) * k + 1 for k in range(8)]
        addresses = [field(x, DATA) for x in arrays]
        found: list[Any] = [None] * 8

        def touch(k: int, addresses: Any = addresses, found: Any = found) -> None:
            found[k] = read(addresses[k], N, WITHOUT)

        threads = [threading.Thread(target=touch, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        more = [x + 1 for x in arrays]
        for thread in threads:
            thread.join()
        for k in range(8):
            assert (found[k] == numpy.arange(float(N)) * k + 1).all()
            assert (more[k] == numpy.arange(float(N)) * k + 2).all()


@pytest.mark.parametrize("n", [1000, N, 1_000_003])
def test_threads_touch_parts_of_one_array_at_once(n: int) -> None:
    """Contents come all at once: no thread finds a part of them missing."""
    for turn in range(30):
        x = fastnp.arange(float(n)) * 2 + turn
        address, start = field(x, DATA), threading.Barrier(4)
        found: list[Any] = [None] * 4

        def touch(k: int, address: Any = address, found: Any = found, start: Any = start) -> None:
            start.wait()
            found[k] = read(address + 8 * k * (n // 4), n // 4, WITHOUT)

        threads = [threading.Thread(target=touch, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (numpy.concatenate(found) == numpy.arange(4.0 * (n // 4)) * 2 + turn).all()


@pytest.mark.parametrize("n", [10, 3000, 30_000, 64_900, 65_100, 300_000])
def test_pages_that_are_used_again_hold_what_was_computed(n: int) -> None:
    """An array that dies leaves its pages to the next one that is touched."""
    alive: list[Any] = []
    for k in range(60):
        x = (fastnp.arange(float(n)) + k).reshape(2, -1)
        y = x.T[1:]
        assert shape(y) == (n // 2 - 1, 2)
        assert strides(y) == (8, 4 * n)
        assert shape(x) == (2, n // 2)
        alive.append((k, x, field(x, DATA)))
        if k % 3:
            alive.pop(k % len(alive))
        x += 1 if k % 2 else 0
    for k, x, address in alive:
        expected = numpy.arange(float(n)) + k + k % 2
        assert (read(address, n) == expected).all()
        assert (numpy.asarray(x).ravel() == expected).all()


@cache
def positions(np: Any, n: int) -> Any:
    """Of the elements in reverse order."""
    return np.arange(n)[::-1].copy()


MADE: list[Callable[[Any, Any], Any]] = [
    lambda np, a: a.copy(),
    lambda np, a: np.array(numpy.asarray(a)),
    lambda np, a: np.sqrt(a),
    lambda np, a: a * 3,
    lambda np, a: np.take(a, positions(np, len(a))),
]


@pytest.mark.parametrize("n", [2049, 3000, 9000, N, 64_999, 65_100, 100_000, 261_000])
@pytest.mark.parametrize("make", MADE, ids=["copy", "array", "sqrt", "times", "take"])
def test_results_that_are_touched_are_computed_at_once(
    n: int, make: Callable[[Any, Any], Any]
) -> None:
    """From some touches on there are no faults, and what is done with them later is seen."""
    a, expected = fastnp.arange(float(n)), make(numpy, numpy.arange(float(n)))
    kept: list[Any] = []
    for turn in range(60):
        x = make(fastnp, a)
        before = resolved_faults()
        assert shape(x) == (n,) and strides(x) == (8,)
        address = field(x, DATA)
        assert (read(address, n) == expected).all()
        # More positions than run at once are two operations, which may fuse with others.
        is_one = n < 261_000 and (make is not MADE[-1] or n < 16_000)
        if 20 < turn < 40 and is_one:
            assert resolved_faults() == before
        if turn % 7 == 0:
            write(address, [-5.0, -6.0])
            assert x[:3].tolist() == [-5.0, -6.0, expected[2]]
        if turn >= 40:
            # The prediction is wrong: it is closed, and faults from then on.
            x[:2] = expected[:2]
            x *= 2
            later = x + 1
            x -= 3
            write(address, [7.0, 7.0])
            assert (numpy.asarray(later) == 2 * expected + 1).all()
            assert x[:3].tolist() == [7.0, 7.0, 2 * expected[2] - 3]
            assert (read(address, n)[2:] == 2 * expected[2:] - 3).all()
        elif turn % 5 == 0:
            kept.append((x, address))
    for x, address in kept:
        assert (read(address, n)[2:] == expected[2:]).all()
        assert (numpy.asarray(x)[2:] == expected[2:]).all()
    positions.cache_clear()


@fastnp.jit(strict=True)
def halved(values: Any) -> None:
    for i in range(len(values)):
        values[i] = values[i] * 0.5


@pytest.mark.parametrize("n", [3000, 9000, 65_100])
@pytest.mark.parametrize("make", MADE, ids=["copy", "array", "sqrt", "times", "take"])
def test_results_that_compiled_loops_use_are_computed_at_once(
    n: int, make: Callable[[Any, Any], Any]
) -> None:
    """So they need not be moved where the loop begins; what is recorded later makes no miss."""
    a, expected = fastnp.arange(float(n)), make(numpy, numpy.arange(float(n)))
    for turn in range(60):
        x = make(fastnp, a)
        if turn % 3 == 2 and (make is not MADE[-1] or n < 16_000):
            before = resolved_faults()
            assert (read(field(x, DATA), n) == expected).all()
            assert resolved_faults() == before or turn < 20
        halved(x)
        if turn % 2:
            x += 1
            later = x * 2
            assert (numpy.asarray(later) == expected + 2).all()
        assert (numpy.asarray(x) == expected / 2 + turn % 2).all()
    positions.cache_clear()


def test_what_is_not_touched_any_more_is_pending_again() -> None:
    a = fastnp.arange(100_000.0)
    for _ in range(20):
        assert shape(fastnp.sqrt(a)) == (100_000,)
    fused = []
    for turn in range(4):
        fastnp.flush()
        before = fastnp.stats()["flushes"]
        x = fastnp.sqrt(a) + turn
        fused.append(fastnp.stats()["flushes"] == before)
        assert x[4] == 2 + turn
    assert fused == [False, True, True, True]


def test_results_that_are_touched_in_views() -> None:
    a = fastnp.arange(float(N)).reshape(500, 100)
    for _ in range(30):
        x = a.copy()
        y = x[10:20, ::2].T
        assert shape(x) == (500, 100) and strides(x) == (800, 8)
        assert shape(y) == (50, 10) and strides(y) == (16, 800)
        assert read(field(y, DATA), 1)[0] == 1000.0
        y += 1
        assert read(field(x, DATA) + 8000, 1)[0] == 1001.0
        assert shape(x.reshape(1, 1, 1, 500, 100)) == (1, 1, 1, 500, 100)
