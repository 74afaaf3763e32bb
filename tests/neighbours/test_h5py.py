"""h5py writes our arrays and reads them back, or raises where it requires `numpy.ndarray`."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any

import fastnp
import h5py
import numpy
import pytest

from tests.neighbours.meeting import assert_no_more_copies, meet

P = numpy.random.default_rng(0).random((1000, 3))
DTYPES = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16".split()

WAYS: dict[str, Callable[[Any, Any], Any]] = {
    "create_dataset": lambda f, a: f.create_dataset("x", data=a)[...],
    "by name": lambda f, a: (f.__setitem__("x", a), f["x"][()])[1],
    "compressed": lambda f, a: f.create_dataset("x", data=a, chunks=True, compression="gzip")[5:],
    "another type": lambda f, a: f.create_dataset("x", data=a, dtype="f4")[...],
    "assigned": lambda f, a: (
        (d := f.create_dataset("x", a.shape, a.dtype)).__setitem__(..., a),
        d[:],
    ),
    "assigned in part": lambda f, a: (
        (d := f.create_dataset("x", a.shape)).__setitem__(slice(3, 5), a[1:3]),
        d[:],
    ),
    "an attribute": lambda f, a: (f.attrs.__setitem__("x", a[0]), f.attrs["x"])[1],
    "strided": lambda f, a: f.create_dataset("x", data=a[::-2, 1:])[...],
    "pending": lambda f, a: f.create_dataset("x", data=a * 2 + 1)[...],
    "write_direct": lambda f, a: (
        (d := f.create_dataset("x", a.shape)).write_direct(numpy.asarray(a)),
        d[:],
    ),
}


@pytest.fixture
def file() -> Iterator[h5py.File]:
    """A file in memory."""
    with h5py.File(io.BytesIO(), "w") as opened:
        yield opened


@pytest.mark.parametrize("name", WAYS)
def test_written_and_read(name: str) -> None:
    def call(a: Any) -> Any:
        with h5py.File(io.BytesIO(), "w") as opened:
            return WAYS[name](opened, a)

    meet(call, P, reads=2)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_type(dtype: str, file: h5py.File) -> None:
    values = (P * 10).astype(dtype)
    stored = file.create_dataset("x", data=fastnp.array(values))
    assert stored.dtype == values.dtype
    back: Any = fastnp.asarray(stored[...])
    assert type(back) is fastnp.ndarray and back.dtype == values.dtype
    assert (back == values).all()
    assert (numpy.asarray(fastnp.asarray(stored)) == values).all()


def test_datasets_in_expressions(file: h5py.File) -> None:
    stored = file.create_dataset("x", data=fastnp.array(P))
    assert fastnp.mean(stored) == pytest.approx(P.mean())
    assert float((fastnp.asarray(stored) - P).sum()) == 0.0


def test_nothing_is_copied_on_the_way() -> None:
    def write(a: Any) -> int:
        with h5py.File("x", "w", driver="core", backing_store=False) as opened:
            return int(opened.create_dataset("x", data=a).size)

    assert_no_more_copies(write, numpy.zeros(400_000))


def test_compiled_code_reads_and_writes_arrays_of_ours(file: h5py.File) -> None:
    """h5py's compiled code takes our arrays as NumPy's, pending ones too."""
    stored = file.create_dataset("x", data=P)
    into: Any = fastnp.zeros(P.shape)
    rows: Any = fastnp.array([1, 5, 7])
    mask: Any = fastnp.array(P[:, 0]) > 0.5
    stored.read_direct(into)
    assert (into == P).all()
    assert (stored[rows] == P[[1, 5, 7]]).all()
    assert (stored[mask] == P[P[:, 0] > 0.5]).all()
    stored.write_direct(into * 2)
    assert (stored[:] == 2 * P).all()
