"""Dask's workers: the size of a result, the result itself, and the worker's share of the machine.

A worker of `dask.distributed` asks for the size of each result, on the thread that ran the task and
as a part of it. Then the result is computed, so that the task's time is its own, its operands can
be freed, and sending it does not compute it in the worker's event loop. Source: `dask.sizeof`,
`distributed.worker`.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from fastnp import _fastnp
from fastnp._fastnp import ndarray
from fastnp._state.settings import settings

__all__ = ["register"]

# The fraction (one in so many) of a worker's memory limit that the engine's pool may keep for
# reuse. Dask counts it as used, and spills chunks from 0.6 of the limit on.
_POOL_FRACTION = 10

_is_divided = False


def register() -> None:
    """Enter our class in Dask's table of sizes."""
    from dask.sizeof import sizeof

    sizeof.register(ndarray, _size)


def _size(x: Any) -> int:
    """Bytes of the elements, those of broadcast axes once, as Dask counts NumPy's arrays."""
    if not _is_divided and "distributed.worker" in sys.modules:
        _divide_machine()
    _fastnp.eval(x)
    bytes_ = x.itemsize
    for extent, stride in zip(x.shape, x.strides):
        bytes_ *= extent if stride else min(extent, 1)
    return int(bytes_)


def _divide_machine() -> None:
    """Take the threads and the memory that Dask meant for this process, if it is a worker's.

    Dask gives each of a worker's threads `OMP_NUM_THREADS`. They use the engine one at a time, so
    the engine has the threads of all, but no more than there are cores. Settings of the user stay.
    """
    global _is_divided
    from distributed.worker import get_worker

    try:
        worker = get_worker()
    except ValueError:  # not called by a task
        return
    _is_divided = True
    if worker.nanny is None:  # the process is not the worker's alone
        return
    each = os.environ.get("OMP_NUM_THREADS", "")
    if each.isdigit() and "FASTNP_NUM_THREADS" not in os.environ:
        threads = int(each) * worker.state.nthreads
        settings(num_threads=min(threads, os.cpu_count() or 1))
    memory, row = worker.memory_manager.memory_limit, settings()["pool_limit"]
    if memory and row["value"] == row["default"]:
        settings(pool_limit=int(memory) // _POOL_FRACTION)
