"""Files, pickles and copies: the same bytes as NumPy's, and the same array back, for every type.

Types the engine does not compute with are NumPy's own arrays throughout.
"""

from __future__ import annotations

import copy
import io
import pickle
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastnp
import numpy
import pytest

from tests.compare import assert_same, both

NATIVE = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16".split()
OTHER: list[Any] = "g S3 U3 O M8[s] m8[ms] V4 >f8 >i4".split() + [[("a", "i4"), ("b", "f8")]]


def sample(np: Any, dtype: Any, order: Any = "C") -> Any:
    """Three by four elements of a type."""
    count = numpy.arange(12).reshape(3, 4)
    if isinstance(dtype, list):
        made = numpy.zeros((3, 4), dtype)
        made["a"], made["b"] = count, count / 2
    else:
        made = count.astype("i4").view("V4") if dtype == "V4" else count.astype(dtype)
    return np.asarray(made.copy(order))


Way = Callable[[Any, Any, Path], Any]


def save(np: Any, x: Any, folder: Path) -> Any:
    """`.npy`, by name and into an open file."""
    np.save(folder / "x.npy", x)
    file = io.BytesIO()
    np.save(file, x)
    exact = file.getvalue() if not x.dtype.hasobject and x.dtype.char != "g" else None
    return np.load(folder / "x.npy", allow_pickle=True), exact


def savez(np: Any, x: Any, folder: Path) -> Any:
    """`.npz`, compressed and not."""
    np.savez(folder / "a.npz", x, named=x[1:])
    np.savez_compressed(folder / "b.npz", x=x)
    with np.load(folder / "a.npz", allow_pickle=True) as a:
        with np.load(folder / "b.npz", allow_pickle=True) as b:
            return sorted(a.files), a["arr_0"], a["named"], b["x"]


def files(np: Any, x: Any, folder: Path) -> Any:
    """`tofile` and `fromfile`, of views as well."""
    if x.dtype.hasobject:
        return None
    x.tofile(folder / "x")
    x[::-1, 1:].tofile(folder / "y")
    x.tofile(folder / "z", sep=",")
    return (
        np.fromfile(folder / "x", dtype=x.dtype),
        np.fromfile(folder / "x", dtype=x.dtype, count=2, offset=x.dtype.itemsize),
        np.fromfile(folder / "y", dtype=x.dtype),
        (folder / "z").read_text(),
        np.frombuffer(x.tobytes(), dtype=x.dtype),
        x.tobytes("F") if x.dtype.char != "g" else None,
    )


def mapped(np: Any, x: Any, folder: Path) -> Any:
    """`load` with `mmap_mode`."""
    if x.dtype.hasobject:
        return None
    np.save(folder / "x.npy", x)
    seen = np.load(folder / "x.npy", mmap_mode="r")
    return type(seen).__name__, isinstance(seen, np.ndarray), seen.tolist()


def pickled(np: Any, x: Any, folder: Path) -> Any:
    """Every protocol, and out of band."""
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(x, 5, buffer_callback=buffers.append)
    x.dump(folder / "x")
    return (
        [pickle.loads(pickle.dumps(x, protocol)) for protocol in range(2, 6)],
        (len(buffers), pickle.loads(data, buffers=buffers)),
        pickle.loads((folder / "x").read_bytes()),
        pickle.loads(x.dumps()),
    )


def copied(np: Any, x: Any, folder: Path) -> Any:
    """Copies, shallow and deep, and what is left of what they were made from."""
    made = [copy.copy(x), copy.deepcopy(x), copy.deepcopy([x, x])[1], x.copy("F"), np.array(x)]
    gone = weakref.ref(sample(np, x.dtype if x.dtype.names is None else x.dtype.descr))
    return made, [m is x or np.shares_memory(m, x) for m in made], gone() is None


def used(np: Any, x: Any, folder: Path) -> Any:
    """What every type can do."""
    return (
        (x[0], x[::2], x.T, x.reshape(-1), x[1, 2], x.tolist(), x.dtype, x.nbytes),
        (np.concatenate([x, x]), np.stack([x, x]), np.zeros_like(x), np.empty((2, 0), x.dtype)),
        (np.where(sample(np, "?"), x, x), np.full(2, x[1, 1], dtype=x.dtype), x.astype("O")),
        isinstance(x, np.ndarray),
    )


WAYS: dict[str, Way] = {
    way.__name__: way for way in (save, savez, files, mapped, pickled, copied, used)
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", [*NATIVE, *OTHER], ids=str)
def test_every_type(way: str, dtype: Any, tmp_path: Path) -> None:
    for order in "CF":
        found = []
        for np in (fastnp, numpy):
            folder = tmp_path / f"{np.__name__}-{order}"
            folder.mkdir()
            found.append(WAYS[way](np, sample(np, dtype, order), folder))
        assert_same(*found)


@pytest.mark.parametrize("dtype", [*NATIVE, *OTHER], ids=str)
def test_whose_arrays_they_are(dtype: Any) -> None:
    kind = fastnp.ndarray if dtype in NATIVE else numpy.ndarray
    x = sample(fastnp, dtype)
    made = (x, x[1:], x.T, x.copy(), pickle.loads(pickle.dumps(x)), fastnp.zeros(3, dtype))
    assert {type(a) for a in made} == {kind}
    assert all(isinstance(a, fastnp.ndarray) and isinstance(a, numpy.ndarray) for a in made)


@both
def test_text(np: Any) -> Any:
    file = io.StringIO()
    np.savetxt(file, sample(np, "f8"), fmt="%.3f", delimiter=",", header="some")
    text = file.getvalue()
    return (
        text,
        np.loadtxt(io.StringIO(text), delimiter=","),
        np.loadtxt(
            io.StringIO(text), delimiter=",", usecols=np.array([1, 2]), dtype="f4", unpack=True
        ),
        np.genfromtxt(io.StringIO(text), delimiter=","),
        np.genfromtxt(io.StringIO("a,b\n1,2\n3,x"), delimiter=",", names=True).dtype.names,
        np.genfromtxt(io.StringIO("1,2\n3,4"), delimiter=",", dtype=None, encoding="utf8"),
        np.loadtxt(io.StringIO("a b\nc d"), dtype=str),
        np.loadtxt(io.StringIO("1 2\n3 4"), dtype=[("a", "i4"), ("b", "f8")]),
        np.fromstring("1 2 3", sep=" "),
        np.fromregex(io.StringIO("1 a\n2 b"), r"(\d+) (\w)", dtype=[("n", "i4"), ("k", "U1")]),
        np.fromiter((k * 2 for k in range(5)), dtype="f8"),
    )


def test_memory_maps(tmp_path: Path) -> None:
    def program(np: Any) -> Any:
        path = tmp_path / np.__name__
        m = np.memmap(path, dtype="f8", mode="w+", shape=(3, 4))
        m[:] = np.arange(12.0).reshape(3, 4)
        m[0] += np.ones(4)
        a = np.asarray(m)
        a[1] = 5
        a += 1
        total = float(a.sum())
        m.flush()
        again = np.memmap(path, dtype="f8", mode="r", shape=(3, 4))
        with pytest.raises(ValueError, match="read-only"):
            np.asarray(again)[0] = 1.0
        made = np.lib.format.open_memmap(
            path.with_suffix(".npy"), mode="w+", dtype="f8", shape=(3,)
        )
        made[:] = np.arange(3.0)
        made.flush()
        return [
            (type(m).__name__, isinstance(m, np.ndarray), np.shares_memory(a, m), total),
            (np.fromfile(path), again.tolist(), np.sqrt(np.asarray(again))),
            np.load(path.with_suffix(".npy")),
        ]

    assert_same(program(fastnp), program(numpy))


@both
def test_fields_are_views(np: Any) -> Any:
    """Structured types, one of them unaligned: NumPy's array is used without a copy."""
    a = np.zeros(4, dtype=[("x", "f8"), ("y", "i4")])
    aligned = np.zeros(4, dtype=[("x", "f8"), ("y", "f8")])
    for record in (a, aligned):
        v = np.asarray(record["x"])
        v[1] = 3
        v += 1
        record["y"] = np.arange(4)
    raw = np.zeros(17, "u1")
    inside = raw[1:].view("f8")
    inside[0] = 1.0
    placed = np.ndarray((2,), "f8", raw, 1)
    placed[1] = 2.0
    return a, aligned, a["x"] * 2, np.sin(a["x"]), raw, inside + np.arange(2), v


@both
def test_dates_strings_and_objects(np: Any) -> Any:
    days = np.array(["2020-01-01", "2020-01-05"], "M8[D]")
    return [
        (np.datetime64("2020") + np.arange(3), np.diff(days), days.astype("i8")),
        (np.arange("2020-01", "2020-04", dtype="M8[M]"), np.arange(3) * np.timedelta64(1, "s")),
        (np.busday_count("2020-01-01", "2020-02-01"), np.datetime_as_string(days)),
        (np.char.upper(np.array(["a", "b"])), np.strings.str_len(np.array(["ab", "c"]))),
        (np.array(["a"]) + np.array(["c"]), np.unique(np.array(["b", "a"]))),
        (np.array(["a", "b"]) == "a", np.array(["1", "2"]).astype("f8")),
        (np.array([1, "a", None], dtype=object), np.array([1, 2], dtype=object) + 1),
        (np.array([1, 2], dtype=object).sum(), np.arange(3) + np.array([1, 2, 3], dtype=object)),
        (np.frompyfunc(lambda k: k + 1, 1, 1)(np.arange(3)), np.vectorize(str)(np.arange(3))),
        (np.ones(3, np.longdouble) * 2, np.longdouble(1) + np.arange(3)),
        (np.arange(3.0) + np.ones(3, np.longdouble), np.sum(np.ones(3, "g"))),
    ]
