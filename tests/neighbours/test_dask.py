"""Dask computes with chunks of ours, in this process: the values of NumPy's chunks, in ours."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable
from functools import cache
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
    "solve": lambda x: da.linalg.solve(_regular(x), x[:, 0][:40].rechunk(20)),
    "inv": lambda x: da.linalg.inv(_regular(x)),
    "lu": lambda x: da.linalg.lu(_regular(x))[2],
    "cholesky": lambda x: da.linalg.cholesky((x.T @ x).rechunk(20) + 40 * da.eye(40, chunks=20)),
    "lstsq": lambda x: da.linalg.lstsq(x.rechunk((20, 40)), x.sum(axis=1).rechunk(20))[0],
    "svd_compressed": lambda x: da.linalg.svd_compressed(x, 40, seed=0)[1],
    "fft": lambda x: abs(da.fft.fft(x.rechunk((20, 40)))),
    "blockwise": lambda x: da.blockwise(numpy.add, "ij", x, "ij", x, "ij", dtype=float),
    "overlap": lambda x: da.overlap.overlap(x, depth=1, boundary="nearest"),
    "windows": lambda x: da.lib.stride_tricks.sliding_window_view(x, 3, axis=0).mean(axis=-1),
    "points": lambda x: x.vindex[[1, 2, 30], [4, 5, 39]],
    "assignment": lambda x: _assigned(x.copy()),
    "coarsen": lambda x: da.coarsen(numpy.mean, x.rechunk((20, 40)), {0: 2}),
    "block": lambda x: da.block([[x, x], [x, x]]),
    "choose": lambda x: da.choose((x * 2).astype(int), [x, -x]),
    "median": lambda x: da.median(x, axis=0),
}

# What Dask makes chunks of NumPy's of, also if it is given ours: scalars (as NumPy does, and as
# stacks of them), records for positions and counts, what SciPy returns, and constants beside ours.
SCALARS = {"sum", "min, max", "norm", "nanmean", "var", "any, all"}
RECORDS = {"argmax", "unique"}
SCIPYS = {"solve", "inv", "lu", "cholesky", "lstsq"}
CONSTANTS = {"pad"}


def _regular(x: Any) -> Any:
    """A square matrix that can be inverted."""
    return (x[:40] + 40 * da.eye(40, chunks=20)).rechunk(20)


def _assigned(x: Any) -> Any:
    x[x > 0.5] = 0
    x[2:4] = 1
    return x


@pytest.mark.parametrize("name", OPERATIONS)
def test_values_are_those_of_numpys_chunks(name: str) -> None:
    ours = da.from_array(fastnp.array(X), chunks=(20, 16))
    assert type(ours._meta) is fastnp.ndarray
    result = OPERATIONS[name](ours).persist(scheduler="sync")
    assert_close(result.compute(scheduler="sync"), expected(name))
    blocks = result.to_delayed().ravel().tolist()
    kinds = {type(block) for block in dask.compute(*blocks, scheduler="sync")}
    is_ours = kinds == {fastnp.ndarray}
    assert is_ours == (name not in SCALARS | RECORDS | SCIPYS | CONSTANTS), kinds


@cache
def expected(name: str) -> Any:
    """What the operation gives with NumPy's chunks."""
    return OPERATIONS[name](da.from_array(X, chunks=(20, 16))).compute(scheduler="sync")


def assert_close(result: Any, other: Any) -> None:
    """Fail where the values differ by more than a sum in another order does."""
    ours, theirs = numpy.asarray(result), numpy.asarray(other)
    numpy.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


def test_tables() -> None:
    from dask.base import tokenize
    from dask.sizeof import sizeof

    x: Any = fastnp.arange(12.0).reshape(3, 4)
    assert tokenize(x) == tokenize(x.copy()) != tokenize(x + 1)
    assert tokenize(x) != tokenize(x.to_numpy())
    assert sizeof(x) == 96
    assert sizeof(fastnp.broadcast_to(x[0], (1000, 4))) == 32
    chunked = da.from_array(x, chunks=2)
    assert type((numpy.arange(4.0) + chunked)._meta) is fastnp.ndarray
    both: Any = numpy.concatenate([x, chunked])
    assert both.compute().shape == (6, 4)


def test_backends_convert_to_each_other() -> None:
    ours = da.from_array(fastnp.array(X), chunks=(20, 16))
    theirs = ours.to_backend("numpy")
    assert type(theirs._meta) is numpy.ndarray
    for there, kind in ((theirs, numpy.ndarray), (theirs.to_backend("fastnp"), fastnp.ndarray)):
        block = there.blocks[0, 0].compute(scheduler="sync")
        assert type(block) is kind
        numpy.testing.assert_array_equal(numpy.asarray(block), X[:20, :16])
    assert theirs.to_backend("numpy") is theirs
    assert ours.to_backend("fastnp") is ours


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
        lambda: da.random.default_rng(3).normal(size=10, chunks=4),
        lambda: da.random.RandomState(3).random(10, chunks=4),
    ],
)
def test_creation_functions_of_the_backend(make: Callable[[], Any]) -> None:
    theirs = make().compute(scheduler="sync")
    with dask.config.set({"array.backend": "fastnp"}):
        made = make()
    assert type(made._meta) is fastnp.ndarray
    result = made.compute(scheduler="sync")
    assert type(result) is fastnp.ndarray
    assert result.dtype == theirs.dtype
    numpy.testing.assert_array_equal(numpy.asarray(result), theirs)
    converted = da.from_array(theirs).to_backend("fastnp")
    assert type(converted.compute(scheduler="sync")) is fastnp.ndarray
