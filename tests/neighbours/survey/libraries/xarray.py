"""xarray: labelled arrays of arrays, files, and the module's functions on them."""

import xarray as xr

from tests.neighbours.survey.inputs import grid, pending, rounded


def _data(np):
    return xr.DataArray(grid(np), dims=("y", "x"), coords={"x": np.arange(500)})


def array(np):
    d = xr.DataArray(pending(np), dims="x")
    return d.values, d.dtype, d.shape, d[5].item(), type(d.data)


def printed(np):
    print(xr.DataArray(np.arange(3.0), dims="x"))
    print(xr.Dataset({"a": ("x", np.arange(3)), "b": ("x", pending(np)[:3])}))


@rounded(1e-12)
def reductions(np):
    d = _data(np)
    return d.sum().item(), d.mean("x").values, d.std("y").values, d.max().item()


def selection(np):
    d = _data(np)
    return d.sel(x=3).values, d.isel(y=np.array([1, 2])).values, d.where(d > 100, 0).values


def assigned(np):
    d = xr.DataArray(pending(np), dims="x")
    d[0:3] = np.array([7.0, 8, 9])
    d += 1
    d.values[5] = 0
    return d.values


def arithmetic(np):
    d = _data(np)
    return (d + np.ones(500)).values, (np.ones((400, 1)) * d).values, np.sqrt(d).values


def grouped(np):
    d = _data(np)
    return d.groupby(d.x % 3).sum().values, d.coarsen(x=5).max().values


def interpolated(np):
    d = xr.DataArray(np.arange(5.0) * 2, dims="x", coords={"x": np.arange(5.0)})
    return d.interp(x=np.array([0.5, 1.5])).values


def to_netcdf(np):
    import netCDF4  # noqa: F401  # absent where the package is

    data = xr.Dataset({"a": ("x", np.arange(3.0)), "b": ("x", pending(np)[:3])})
    data.to_netcdf("a.nc", engine="netcdf4")
    with xr.open_dataset("a.nc", engine="netcdf4") as found:
        return found["a"].values, found["b"].values


def to_zarr(np):
    xr.Dataset({"a": (("y", "x"), grid(np))}).to_zarr("a.zarr", zarr_format=3, consolidated=False)
    return xr.open_zarr("a.zarr", consolidated=False)["a"].values


def merged(np):
    a = xr.DataArray(np.arange(3), dims="x", coords={"x": [0, 1, 2]}, name="a")
    b = xr.DataArray(np.arange(3), dims="x", coords={"x": [1, 2, 3]}, name="b")
    return [v.values for v in xr.merge([a, b], join="outer").values()], xr.concat(
        [a, a], "x", join="outer"
    ).values


def apply_ufunc(np):
    return xr.apply_ufunc(lambda v: v * 2, _data(np)).values, xr.dot(_data(np), _data(np)).item()


def with_dask(np):
    return _data(np).chunk({"x": 100}).sum("y").compute().values


def pandas(np):
    return xr.DataArray(np.arange(3.0), dims="x", name="a").to_series().to_numpy()
