"""threadpoolctl lists the engine's thread pool, and limits it for the thread that asks."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from typing import Any

import fastnp
import numpy
import pytest

threadpoolctl = pytest.importorskip("threadpoolctl")


@pytest.fixture(autouse=True)
def pool_of_four() -> Iterator[None]:
    with fastnp.settings(num_threads=4):
        yield


def threads() -> int:
    """Threads that the engine may use for this thread, as threadpoolctl sees it."""
    (pool,) = threadpoolctl.ThreadpoolController().select(user_api="fastnp").info()
    assert pool["internal_api"] == "fastnp"
    assert pool["prefix"] == "_fastnp"
    return int(pool["num_threads"])


def elsewhere(call: Callable[[], Any]) -> Any:
    """What a call returns in another thread."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(call()))
    thread.start()
    thread.join()
    return found[0]


@pytest.mark.parametrize("api", [None, "fastnp"])
@pytest.mark.parametrize("limit", [1, 2])
def test_limits_hold_for_their_thread_and_end(limit: int, api: str | None) -> None:
    assert threads() == 4
    with threadpoolctl.threadpool_limits(limits=limit, user_api=api):
        assert threads() == limit
        assert elsewhere(threads) == 4
        with threadpoolctl.threadpool_limits(limits=1):
            assert threads() == 1
        assert threads() == limit
    assert threads() == 4
    with threadpoolctl.threadpool_limits(limits=limit, user_api="blas"):
        assert threads() == 4


def test_a_limit_that_ended_does_not_hold_for_a_larger_pool() -> None:
    with threadpoolctl.threadpool_limits(limits=1):
        assert fastnp.settings()["num_threads"]["value"] == 4
    with fastnp.settings(num_threads=6):
        assert threads() == 6


def test_results_do_not_depend_on_a_limit() -> None:
    x: Any = fastnp.arange(2_000_000.0) / 3

    def results() -> list[Any]:
        found = [fastnp.sin(x), x.sum(), x.reshape(2000, -1) @ x[:1000], x.reshape(1000, -1).sum(1)]
        return [numpy.asarray(value) for value in found]

    expected = results()
    for limit in (1, 2, 3):
        with threadpoolctl.threadpool_limits(limits=limit):
            for one, other in zip(results(), expected):
                numpy.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("first", ["threadpoolctl", "fastnp"])
def test_the_pool_is_listed_whichever_is_imported_first(first: str) -> None:
    program = f"""
        import {first}, fastnp, threadpoolctl
        print([pool["user_api"] for pool in threadpoolctl.threadpool_info()].count("fastnp"))
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "1\n"
