"""Dask on two worker processes with chunks of ours: values, the wire, the disk, a killed worker."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import fastnp
import numpy
import pytest

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

from tests.neighbours.test_dask import OPERATIONS, X, assert_close, expected  # noqa: E402

MEMORY_LIMIT = 400_000_000
# The share of it above which a worker stores chunks on the disk. Neither is a worker paused nor
# ended for what else its process has in memory.
LIMITS = {"target": 0.03, "spill": False, "pause": False, "terminate": False}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two worker processes of two threads each, which spill what is above 12 MB."""
    with (
        dask.config.set({f"distributed.worker.memory.{name}": at for name, at in LIMITS.items()}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=2, dashboard_address=":0", memory_limit=MEMORY_LIMIT
        ) as workers,
        distributed.Client(workers) as client,
    ):
        yield client


def test_workers_compute_the_same(cluster: Any) -> None:
    ours = cluster.persist(da.from_array(fastnp.array(X), chunks=(20, 16)))
    results = cluster.compute([operation(ours) for operation in OPERATIONS.values()])
    for name, result in zip(OPERATIONS, cluster.gather(results)):
        assert_close(result, expected(name))
    assert len(OPERATIONS) > 50


def test_a_worker_has_the_threads_and_the_memory_that_dask_meant_for_it(cluster: Any) -> None:
    distributed.wait(cluster.persist(da.from_array(fastnp.array(X), chunks=(10, 40)) + 1))

    def settings() -> tuple[Any, ...]:
        rows = fastnp.settings()
        return tuple(rows[name]["value"] for name in ("num_threads", "pool_limit"))

    threads = min(2, os.cpu_count() or 1)
    assert set(cluster.run(settings).values()) == {(threads, MEMORY_LIMIT // 10)}


def test_results_of_tasks_are_computed(cluster: Any) -> None:
    x = da.from_array(fastnp.arange(400_000.0), chunks=100_000)
    kept = cluster.persist(da.sqrt(x + 1) * 2)
    distributed.wait(kept)
    assert not any(cluster.run(lambda: fastnp.explain().startswith("pending")).values())


def test_chunks_are_stored_on_the_disk_and_read_again(cluster: Any) -> None:
    with dask.config.set({"array.backend": "fastnp"}):
        made = da.arange(5_000_000, chunks=250_000, dtype=float)
    kept = cluster.persist(made * 2)
    distributed.wait(kept)
    on_disk = cluster.run(lambda dask_worker: len(dask_worker.data.slow))
    assert sum(on_disk.values()) > 4, "40 MB in two workers that keep 12 MB each"
    values = numpy.arange(5_000_000) * 2.0
    assert_close((kept - 1).sum().compute(), (values - 1).sum())
    block = kept.blocks[3].compute()
    assert type(block) is fastnp.ndarray
    numpy.testing.assert_array_equal(numpy.asarray(block), values[750_000:1_000_000])
    block[0] = 0  # not on a read-only file


def _slowly(block: Any) -> Any:
    time.sleep(0.1)
    return block * 2


def test_a_killed_worker_is_made_good(cluster: Any) -> None:
    pids = cluster.run(os.getpid)
    x = cluster.persist(da.from_array(fastnp.array(X), chunks=(3, 40)).map_blocks(_slowly))
    total = cluster.compute(x.map_blocks(_slowly).sum())
    while not any(cluster.has_what().values()):
        time.sleep(0.01)
    os.kill(next(iter(pids.values())), signal.SIGKILL)
    assert_close(total.result(timeout=60), 4 * X.sum())
    assert_close(x.compute(), 2 * X)
    assert type(x.blocks[0, 0].compute()) is fastnp.ndarray


def test_chunks_outlive_a_worker_that_retires(cluster: Any) -> None:
    cluster.wait_for_workers(2, timeout=60)
    x = cluster.persist(da.from_array(fastnp.array(X), chunks=(10, 40)))
    distributed.wait(x)
    first, second = cluster.nthreads()
    cluster.retire_workers([first])
    assert_close((x + x).sum().compute(), 2 * X.sum())
    assert list(cluster.nthreads()) == [second]


@pytest.mark.parametrize("layout", ["dense", "columns", "strided", "broadcast", "scalar", "empty"])
def test_wire(layout: str) -> None:
    x: Any = fastnp.arange(12.0).reshape(3, 4) + 1
    y = {
        "dense": x,
        "columns": x.T,
        "strided": x[:, ::2],
        "broadcast": fastnp.broadcast_to(x[0], (1000, 4)),
        "scalar": x[0, 0, ...],
        "empty": x[:0],
    }[layout]
    header, frames = distributed.protocol.serialize(y)
    assert sum(memoryview(frame).nbytes for frame in frames) <= 96
    if layout in ("dense", "columns"):
        (frame,) = frames
        assert numpy.shares_memory(numpy.asarray(frame), x.to_numpy()), "copied"
    back = distributed.protocol.deserialize(header, frames)
    assert type(back) is fastnp.ndarray
    assert back.flags.writeable == y.flags.writeable
    numpy.testing.assert_array_equal(numpy.asarray(back), numpy.asarray(y))


def test_operations_on_what_arrives_fuse() -> None:
    x: Any = fastnp.arange(100_000.0)
    back = distributed.protocol.deserialize(*distributed.protocol.serialize(x))
    there = da.from_array(numpy.arange(100_000.0)).to_backend("fastnp").compute(scheduler="sync")
    for own in (back, there):
        fastnp.flush()
        fastnp.reset_stats()
        fastnp.eval(fastnp.sqrt(own * 2 + 1) - own)
        assert fastnp.stats()["kernels_launched"] == 1
