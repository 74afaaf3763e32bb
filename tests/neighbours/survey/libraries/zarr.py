"""Zarr: chunked arrays written from arrays and read into them."""

import zarr

from tests.neighbours.survey.inputs import grid, pending


def array(np):
    z = zarr.array(pending(np), chunks=(50_000,))
    return z[:], z.dtype, z[3:9]


def assigned(np):
    z = zarr.zeros((400, 500), chunks=(100, 100), dtype="f8")
    z[:] = grid(np)
    z[0] = np.arange(500.0)
    z[10:20, ::2] = 3
    return z[:], z[0]


def selection(np):
    z = zarr.array(np.arange(100))
    z.oindex[np.array([1, 5])] = np.array([7, 8])
    return (
        z.oindex[np.array([1, 3])],
        z.vindex[np.array([2, 5])],
        z.get_mask_selection(np.arange(100) > 95),
    )


def group(np):
    g = zarr.group()
    g.create_array("a", data=grid(np, "float32"), compressors=None)
    g.attrs["n"] = int(np.int64(3))
    return g["a"][5], dict(g.attrs)


def stored(np):
    zarr.save("a.zarr", pending(np, "int32"))
    return zarr.load("a.zarr")


def used_again(np):
    x = pending(np)
    z = zarr.array(x)
    x += 1
    return z[:], x, np.asarray(z) - x
