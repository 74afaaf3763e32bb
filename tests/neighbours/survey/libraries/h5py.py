"""h5py: data sets and attributes written from arrays, read into arrays, and indexed by them."""

import io
from contextlib import contextmanager

import h5py

from tests.neighbours.survey.inputs import grid, pending


@contextmanager
def _file():
    with h5py.File(io.BytesIO(), "w") as opened:
        yield opened


def written(np):
    with _file() as f:
        f["a"] = np.arange(3)
        f.create_dataset("b", data=pending(np))
        f.create_dataset("c", data=grid(np, "float32"), compression="gzip", chunks=True)
        return f["a"][:], f["b"][:], f["c"][5:9, ::3]


def assigned(np):
    with _file() as f:
        d = f.create_dataset("a", (400, 500))
        d[...] = grid(np)
        d[3] = np.ones(500)
        d[:, 2:4] = np.zeros((400, 2))
        return d[...]


def attributes(np):
    with _file() as f:
        f.attrs["a"] = np.arange(3)
        f.attrs["b"] = np.float32(2)
        f.attrs["c"] = pending(np)[:5]
        return f.attrs["a"], f.attrs["b"], f.attrs["c"]


def indexed_by_an_array(np):
    with _file() as f:
        d = f.create_dataset("a", data=np.arange(10))
        return d[np.array([1, 3])]


def indexed_by_a_mask(np):
    with _file() as f:
        d = f.create_dataset("a", data=np.arange(10))
        return d[np.arange(10) > 6]


def assigned_by_a_mask(np):
    with _file() as f:
        d = f.create_dataset("a", data=np.arange(10))
        d[np.arange(10) > 6] = -1
        d[np.array([0, 2])] = np.array([7, 8])
        return d[:]


def read_direct(np):
    with _file() as f:
        d = f.create_dataset("a", data=pending(np))
        out = np.zeros(200_000)
        d.read_direct(out)
        out += 1
        return out


def read_direct_into_a_pending_array(np):
    with _file() as f:
        d = f.create_dataset("a", data=np.arange(10.0))
        out = pending(np)
        d.read_direct(out, np.s_[2:5], np.s_[0:3])
        return out, out.sum()


def write_direct(np):
    with _file() as f:
        d = f.create_dataset("a", (200_000,), "f8")
        d.write_direct(pending(np))
        return d[:]


def used_again(np):
    with _file() as f:
        x = np.asarray(f.create_dataset("a", data=pending(np))[:])
        x *= 2
        f["a"][:] = x
        return f["a"][:], np.sum(f["a"])


def records(np):
    with _file() as f:
        x = np.zeros(3, dtype=[("a", "i4"), ("b", "f8")])
        x["b"] = [1, 2, 3]
        f["t"] = x
        return f["t"][:], f["t"]["b"], f["t"].dtype


def strings(np):
    with _file() as f:
        f["s"] = np.array([b"one", b"two"])
        return f["s"][:], f["s"].asstr()[0]


def every_type(np):
    with _file() as f:
        names = "bool uint8 int16 int32 int64 float16 float32 float64 complex64 complex128".split()
        for name in names:
            f[name] = np.arange(3).astype(name)
        return [f[name][:] for name in names]
