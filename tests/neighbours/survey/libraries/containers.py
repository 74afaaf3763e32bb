"""msgpack-numpy, bitarray, array-api-compat, skyfield, pyresample, hist, ipywidgets: other uses of
arrays.
"""

import array_api_compat

from tests.neighbours.survey.inputs import grid, pending, rounded

PACKAGE = "array-api-compat"


@rounded(1e-13)
def namespaces(np):
    x = grid(np, rows=6, columns=5)
    xp = array_api_compat.array_namespace(x)
    return (
        array_api_compat.is_numpy_array(x),
        array_api_compat.is_array_api_obj(x),
        array_api_compat.device(x),
        array_api_compat.size(x),
        xp.std(x, axis=0, correction=1),
        xp.unique_values(xp.astype(x, xp.int64)),
        xp.linalg.vector_norm(x),
        xp.matrix_transpose(x),
    )


def moved_to_a_device(np):
    x = pending(np)
    return array_api_compat.to_device(x, "cpu") is x


def messages(np):
    import msgpack
    import msgpack_numpy

    packed = msgpack.packb(
        {"a": grid(np, rows=4, columns=5), "b": np.float32(2), "c": pending(np)[:9]},
        default=msgpack_numpy.encode,
    )
    return packed, msgpack.unpackb(packed, object_hook=msgpack_numpy.decode)


def bits(np):
    import bitarray

    b = bitarray.bitarray()
    b.frombytes(np.packbits(pending(np) % 3 > 1).tobytes())
    view = np.frombuffer(b, dtype="uint8")
    c = bitarray.bitarray(buffer=np.arange(16, dtype="uint8"))
    return b.count(), view, c.tolist()


@rounded(1e-10)
def sky(np):
    from skyfield.api import load, wgs84

    times = load.timescale(builtin=True).utc(2024, 1, np.arange(1, 8))
    place = wgs84.latlon(40.0, np.float64(-75.0))
    return times.tt, times.gmst, place.at(times).position.km, times.M


@rounded(1e-10)
def sky_paths(np):
    from skyfield.api import EarthSatellite, load

    lines = (
        "1 25544U 98067A   19343.69339541  .00001764  00000-0  38792-4 0  9991",
        "2 25544  51.6439 211.2001 0007417  17.6667  85.6398 15.50103472202482",
    )
    ts = load.timescale(builtin=True)
    return EarthSatellite(*lines, "ISS", ts).at(ts.utc(2019, 12, np.arange(9, 12))).position.km


@rounded(1e-9)
def resampled(np):
    from pyresample import geometry, kd_tree

    lon, lat = np.meshgrid(np.linspace(0, 10, 20), np.linspace(40, 50, 15))
    source = geometry.SwathDefinition(lons=lon, lats=lat)
    target = geometry.SwathDefinition(lons=lon[::2, ::2] + 0.1, lats=lat[::2, ::2])
    data = grid(np, rows=15, columns=20)
    return kd_tree.resample_nearest(source, data, target, 200_000), kd_tree.resample_gauss(
        source, data, target, radius_of_influence=200_000, sigmas=50_000
    )


def histograms(np):
    import hist

    h = hist.Hist.new.Reg(10, 0, 100).Var([0, 5, 20, 100]).Weight()
    h.fill(pending(np) % 97, grid(np).ravel() % 90, weight=np.full(200_000, 0.5))
    return h.values(), h.variances(), h.project(0).density(), h[{0: sum}].axes[0].edges


def widgets(np):
    import traitlets
    from ipywidgets import Widget

    class Plot(Widget):
        y = traitlets.Any(np.arange(3)).tag(sync=True)

    plot = Plot(y=np.arange(3) * 2)
    changed = "y" in plot.get_state(drop_defaults=True)
    plot.y = np.arange(3) * 1
    return (
        changed,
        "y" in plot.get_state(drop_defaults=True),
        plot._compare(np.arange(3), "y"),
    )
