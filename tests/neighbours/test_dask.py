"""Dask computes with chunks of ours: the values of NumPy's chunks, here and in workers."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import fastnp
import numpy
import pytest

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

X = numpy.random.default_rng(0).random((60, 40))

OPERATIONS: dict[str, Callable[[Any], Any]] = {
    "chain": lambda x: (da.sin(x) ** 2 + da.cos(x) * 3 - x / 2).sum(axis=0),
    "sum": lambda x: x.sum(),
    "mean": lambda x: x.mean(axis=1),
    "std": lambda x: x.std(axis=0),
    "min, max": lambda x: da.stack([x.min(), x.max()]),
    "argmax": lambda x: x.argmax(axis=0),
    "cumsum": lambda x: x.cumsum(axis=0),
    "transpose": lambda x: x.T,
    "reshape": lambda x: x.rechunk((20, 40)).reshape(60, 5, 8),
    "slices": lambda x: x[5:50:3, ::-1],
    "positions": lambda x: x[[3, 1, 40]],
    "mask": lambda x: x[x > 0.5],
    "where": lambda x: da.where(x > 0.5, x, -x),
    "concatenate": lambda x: da.concatenate([x, x], axis=1),
    "stack": lambda x: da.stack([x, x + 1]),
    "matmul": lambda x: x @ x.T,
    "with an array": lambda x: x @ fastnp.ones((40, 3)) + fastnp.arange(3.0),
    "array first": lambda x: fastnp.ones(40) * x,
    "tensordot": lambda x: da.tensordot(x, x, axes=([0], [0])),
    "einsum": lambda x: da.einsum("ij,ij->i", x, x),
    "rechunk": lambda x: x.rechunk((7, 40)),
    "map_blocks": lambda x: x.map_blocks(lambda b: b * 2),
    "map_overlap": lambda x: x.map_overlap(lambda b: b + 1, depth=2, boundary="reflect"),
    "apply_gufunc": lambda x: da.apply_gufunc(lambda b: b.sum(-1), "(i)->()", x.rechunk((20, 40))),
    "percentile": lambda x: da.percentile(x.ravel(), [10, 50]),
    "histogram": lambda x: da.histogram(x, bins=5, range=(0, 1))[0],
    "qr": lambda x: abs(da.linalg.qr(x.rechunk((20, 40)))[1]),
    "svd": lambda x: da.linalg.svd(x.rechunk((20, 40)))[1],
    "norm": lambda x: da.linalg.norm(x),
    "diff": lambda x: da.diff(x, axis=0),
    "pad": lambda x: da.pad(x, 2),
    "unique": lambda x: da.unique((x * 5).astype(int)),
    "bincount": lambda x: da.bincount((x * 5).astype(int).ravel(), minlength=6),
    "nanmean": lambda x: da.nanmean(da.where(x > 0.9, numpy.nan, x)),
    "isclose": lambda x: da.isclose(x, x + 1e-12),
    "clip": lambda x: da.clip(x, 0.2, 0.7),
    "astype": lambda x: x.astype("f4"),
    "roll": lambda x: da.roll(x, 3, axis=0),
    "flip": lambda x: da.flip(x, 1),
    "tile": lambda x: da.tile(x, (2, 1)),
    "repeat": lambda x: da.repeat(x, 2, axis=0),
    "outer": lambda x: da.outer(x[0], x[:, 0]),
    "topk": lambda x: da.topk(x, 3, axis=0),
    "broadcast_to": lambda x: da.broadcast_to(x[0], (5, 40)),
    "digitize": lambda x: da.digitize(x, numpy.array([0.3, 0.6])),
    "triu": lambda x: da.triu(x[:40]),
    "var": lambda x: da.var(x, axis=(0, 1)),
    "prod": lambda x: da.prod(1 + x / 100, axis=1),
    "round": lambda x: da.round(x, 2),
    "any, all": lambda x: da.stack([(x > 2).any(), (x >= 0).all()]),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_values_are_those_of_numpys_chunks(name: str) -> None:
    ours = da.from_array(fastnp.array(X), chunks=(20, 16))
    theirs = da.from_array(X, chunks=(20, 16))
    assert type(ours._meta) is fastnp.ndarray
    result = OPERATIONS[name](ours).compute(scheduler="sync")
    expected = OPERATIONS[name](theirs).compute(scheduler="sync")
    numpy.testing.assert_allclose(numpy.asarray(result), numpy.asarray(expected), rtol=1e-12)


def test_tables() -> None:
    from dask.base import tokenize
    from dask.sizeof import sizeof

    x: Any = fastnp.arange(12.0).reshape(3, 4)
    assert tokenize(x) == tokenize(x.to_numpy()) != tokenize(x + 1)
    assert sizeof(x) == 96
    assert sizeof(fastnp.broadcast_to(x[0], (1000, 4))) == 32
    chunked = da.from_array(x, chunks=2)
    assert type((numpy.arange(4.0) + chunked)._meta) is fastnp.ndarray
    both: Any = numpy.concatenate([x, chunked])
    assert both.compute().shape == (6, 4)


@pytest.mark.parametrize("first", ["dask.array", "fastnp"])
def test_tables_whichever_is_imported_first(first: str) -> None:
    program = f"""
        import {first}, fastnp, dask.array
        from dask.array.chunk_types import is_valid_chunk_type
        print(is_valid_chunk_type(fastnp.ndarray))
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "True\n"


@pytest.mark.parametrize(
    "make",
    [
        lambda: da.ones((4, 4), chunks=2),
        lambda: da.zeros(5, chunks=2, dtype=int),
        lambda: da.full((3, 3), 2.5),
        lambda: da.arange(10, chunks=3),
        lambda: da.arange(2.0, 5.0, 0.5),
    ],
)
def test_creation_functions_of_the_backend(make: Callable[[], Any]) -> None:
    expected = make().compute(scheduler="sync")
    with dask.config.set({"array.backend": "fastnp"}):
        made = make()
    assert type(made._meta) is fastnp.ndarray
    result = made.compute(scheduler="sync")
    assert type(result) is fastnp.ndarray
    assert result.dtype == expected.dtype
    numpy.testing.assert_array_equal(numpy.asarray(result), expected)
    theirs = da.from_array(expected).to_backend("fastnp")
    assert type(theirs.compute(scheduler="sync")) is fastnp.ndarray


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two worker processes."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0
        ) as workers,
        distributed.Client(workers) as client,
    ):
        yield client


def test_workers_compute_the_same(cluster: Any) -> None:
    ours = da.from_array(fastnp.array(X), chunks=(20, 16))
    theirs = da.from_array(X, chunks=(20, 16))
    for name in OPERATIONS:
        result = cluster.compute(OPERATIONS[name](ours)).result(timeout=60)
        expected = OPERATIONS[name](theirs).compute(scheduler="sync")
        numpy.testing.assert_allclose(numpy.asarray(result), numpy.asarray(expected), rtol=1e-12)


def test_chunks_travel_between_workers_and_outlive_one(cluster: Any) -> None:
    x = cluster.persist(da.from_array(fastnp.array(X), chunks=(10, 40)))
    total = float(x.sum().compute())
    first, second = cluster.nthreads()
    cluster.retire_workers([first])
    numpy.testing.assert_allclose(float(x.sum().compute()), total)
    numpy.testing.assert_allclose(float((x + x).sum().compute()), 2 * total)
    assert list(cluster.nthreads()) == [second]
