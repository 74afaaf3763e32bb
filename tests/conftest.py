"""Fixtures of all tests: counts of kernels and flushes, and default settings around each test.

`fastnp.stats()` counts since the start of the process or `fastnp.reset_stats()`; see `Counts`.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import fastnp
import numpy
import pytest

AssertCount = Callable[[Callable[[], Any], int], Any]


@pytest.fixture(autouse=True)
def error_state() -> Iterator[None]:
    """Leave NumPy's error state as it was, whatever a test sets."""
    with numpy.errstate():
        yield


@pytest.fixture(autouse=True)
def no_predictions() -> None:
    """Forget which statements were flushed alone in other tests: they would run eagerly."""
    fastnp.settings(tiny=int(fastnp.settings()["tiny"]["value"]))


def counted(program: Callable[[], Any], key: str) -> tuple[int, Any]:
    """The increase of a counter by one warm run of `program` and the flush of what it recorded."""
    program()
    # The in-place writes of the warm-up are pending.
    fastnp.flush()
    fastnp.reset_stats()
    result = program()
    arrays = result if isinstance(result, tuple) else (result,)
    fastnp.eval(*[x for x in arrays if isinstance(x, fastnp.ndarray)])
    return fastnp.stats()[key], result


@pytest.fixture
def assert_kernels() -> AssertCount:
    """`assert_kernels(program, n)`: evaluating what `program` returns launches `n` kernels.

    The arrays that a program is called with are evaluated before the count.
    """

    def check(program: Callable[[], Any], expected: int) -> Any:
        number, result = counted(program, "kernels_launched")
        assert number == expected, f"{number} kernels, not {expected}\n{fastnp.explain()}"
        return result

    return check


@pytest.fixture
def assert_flushes() -> AssertCount:
    """`assert_flushes(program, n)`: the same for flushes."""

    def check(program: Callable[[], Any], expected: int) -> Any:
        number, result = counted(program, "flushes")
        assert number == expected, f"{number} flushes, not {expected}\n{fastnp.explain()}"
        return result

    return check


@pytest.fixture
def assert_native() -> Iterator[None]:
    """Nothing in the test may fall back to NumPy."""
    fastnp.reset_stats()
    with fastnp.strict():
        yield
    assert fastnp.stats()["fallbacks"] == 0, fastnp.fallbacks()


def pytest_collection_finish() -> None:
    """The collected tests stay: the garbage collector need not look at them after each test."""
    gc.freeze()
