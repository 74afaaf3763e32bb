"""xarray over arrays of ours, plain and as chunks of Dask: NumPy's values in arrays of ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

xr = pytest.importorskip("xarray")
da = pytest.importorskip("dask.array")

X = numpy.random.default_rng(0).random((60, 40))

OPERATIONS: dict[str, Callable[[Any], Any]] = {
    "chain": lambda a: numpy.sqrt(a * 2 + 1) - abs(a) / 3,
    "sum": lambda a: a.sum("t"),
    "mean": lambda a: a.mean("x"),
    "std": lambda a: a.std("t"),
    "median": lambda a: a.median("t"),
    "quantile": lambda a: a.quantile(0.3, "t"),
    "weighted": lambda a: a.weighted(abs(a)).mean("t"),
    "isel": lambda a: a.isel(t=slice(3, 30, 2)),
    "sel": lambda a: a.sel(t=[3, 1, 40]),
    "where": lambda a: a.where(a > 0.5).fillna(1.0),
    "count": lambda a: a.where(a > 0.5).count("t"),
    "concat": lambda a: xr.concat([a, a], "t"),
    "transpose": lambda a: a.transpose("x", "t"),
    "rolling": lambda a: a.rolling(t=3).mean(),
    "coarsen": lambda a: a.coarsen(t=2).mean(),
    "groupby": lambda a: a.groupby(a.t % 3).mean(),
    "align": lambda a: a.isel(t=slice(0, 50)) + a.isel(t=slice(10, 60)),
    "broadcast": lambda a: a * a.isel(t=0),
    "diff, cumsum, shift": lambda a: a.diff("t").cumsum("t").shift(t=2),
    "differentiate": lambda a: a.differentiate("t"),
    "dot": lambda a: xr.dot(a, a, dim="t"),
    "stack": lambda a: a.stack(z=("t", "x")),
    "pad": lambda a: a.pad(t=1),
    "clip": lambda a: a.clip(0.2, 0.7),
    "polyfit": lambda a: a.polyfit("t", 1).polyfit_coefficients,
    "apply_ufunc": lambda a: xr.apply_ufunc(lambda v: v * 2, a, dask="parallelized"),
    "dataset": lambda a: (a.to_dataset(name="v") * 2).mean("x").v,
}


def _field(values: Any, chunked: bool) -> Any:
    data = da.from_array(values, chunks=(20, 20)) if chunked else values
    return xr.DataArray(data, {"t": numpy.arange(60), "x": numpy.arange(40)}, ("t", "x"))


@pytest.mark.parametrize("chunked", [False, True], ids=["plain", "dask"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_values_are_those_of_numpys_arrays(chunked: bool) -> None:
    ours, theirs = _field(fastnp.array(X), chunked), _field(X, False)
    for name, operation in OPERATIONS.items():
        result = operation(ours).compute(scheduler="sync")
        assert type(result.data) is fastnp.ndarray, name
        as_numpy = result.copy(data=numpy.asarray(result.data))
        xr.testing.assert_allclose(as_numpy, operation(theirs), rtol=1e-12)
