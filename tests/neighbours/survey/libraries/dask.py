"""Dask: chunks of arrays, delayed functions, and frames."""

import dask
import dask.array as da

from tests.neighbours.survey.inputs import grid, pending, rounded


@rounded(1e-12)
def reductions(np):
    d = da.from_array(grid(np), chunks=100)
    return d.sum().compute(), d.mean(axis=0).compute(), d.std().compute(), (d @ d.T).sum().compute()


def slices(np):
    d = da.from_array(pending(np), chunks=50_000)
    return d[::1000].compute(), d[np.array([1, 5])].compute(), d[d > 399_990].compute()


def blocks(np):
    d = da.from_array(grid(np), chunks=(100, 500))
    return d.map_blocks(lambda b: b * 2 + np.ones(500)).compute(), d.map_overlap(
        lambda b: b + 1, depth=1
    ).compute()


@rounded(1e-12)
def functions_of_the_module(np):
    d = da.from_array(grid(np), chunks=200)
    return (
        np.sin(d).compute(),
        np.sum(d).compute(),
        np.concatenate([d, d]).compute(),
        type(np.ones(500) + d).__name__,
    )


def delayed(np):
    total = dask.delayed(np.sum)([dask.delayed(np.arange)(5), dask.delayed(np.ones)(5)])
    return total.compute(scheduler="threads"), dask.compute(dask.delayed(lambda: pending(np))())[0]


def stored(np):
    out = np.zeros((400, 500))
    da.store(da.from_array(grid(np), chunks=100), out)
    out += 1
    return out


def tokens(np):
    x = pending(np)
    # A token names the class too, so that no process is given the one for the other.
    same = dask.base.tokenize(np.arange(3)) == dask.base.tokenize(np.arange(3))
    return same, dask.base.tokenize(x) == dask.base.tokenize(x + 1), dask.sizeof.sizeof(x)


def in_processes(np):
    d = da.from_array(grid(np), chunks=200)
    return (d * 2).sum().compute(scheduler="processes", num_workers=2)
