"""netCDF4: variables and attributes written from arrays."""

from contextlib import contextmanager

import netCDF4

from tests.neighbours.survey.inputs import grid, pending

PACKAGE = "netCDF4"


@contextmanager
def _variable(n, kind="f8"):
    with netCDF4.Dataset("memory", "w", diskless=True) as data:
        data.createDimension("n", n)
        yield data.createVariable("v", kind, ("n",))


def written(np):
    with _variable(3) as v:
        v[:] = np.arange(3.0)
        return v[:]


def pending_written(np):
    with _variable(200_000) as v:
        v[:] = pending(np)
        v[0:2] = np.array([5.0, 6.0])
        return v[:], v[np.array([1, 3])]


def matrix(np):
    with netCDF4.Dataset("memory", "w", diskless=True) as data:
        data.createDimension("y", 400)
        data.createDimension("x", 500)
        v = data.createVariable("v", "i4", ("y", "x"), zlib=True)
        v[:] = grid(np, "int32")
        v[3] = np.zeros(500)
        v[:, 1::2] = 4
        return v[:], v[::3, 2]


def attribute(np):
    with _variable(3) as v:
        v.valid = np.arange(3)
        v.factor = np.float32(0.5)
        return v.valid, v.factor


def packed(np):
    with _variable(3, "i2") as v:
        v.scale_factor, v.add_offset = np.float64(0.5), np.float64(10)
        v[:] = np.array([10.0, 11.0, 12.5])
        return v[:]


def masked(np):
    with _variable(3) as v:
        v[:] = np.ma.array([1.0, 2, 3], mask=[0, 1, 0])
        return v[:].filled(-1)


def dates(np):
    numbers = netCDF4.date2num(
        netCDF4.num2date(np.arange(3), "days since 2000-01-01"), "hours since 2000-01-01"
    )
    return numbers
