"""astropy: quantities, tables, times, coordinates, files and models."""

from astropy import coordinates, modeling, stats, table, time, wcs
from astropy import units as u
from astropy.io import fits

from tests.neighbours.survey.inputs import grid, pending, rounded


def quantities(np):
    q = np.arange(3.0) * u.m
    parts = (q, q * 2, np.ones(3) * q, q.to(u.cm), np.sqrt(q), pending(np) * u.s)
    return [(p.value, str(p.unit), type(p).__name__) for p in parts]


@rounded(1e-13)
def functions(np):
    q = np.array([1.0, 2, 3]) * u.m
    parts = (
        np.sum(q),
        np.concatenate([q, q]),
        np.cross(q, q),
        np.dot(q, q),
        np.diff(q),
        np.trapezoid(q, q),
    )
    return [(p.value, str(p.unit)) for p in parts]


def in_place(np):
    x = pending(np)
    q = u.Quantity(x, u.m, copy=False)
    q += 1 * u.km
    x += 1
    return x, q.value


def view(np):
    return (np.arange(3.0) * u.m).view(np.ndarray)


def tables(np):
    t = table.Table({"a": np.arange(3), "b": pending(np)[:3]})
    t["c"] = np.array(["x", "y", "z"])
    t.sort("b", reverse=True)
    print(t)
    return t["a"].data, t[np.array([0, 2])]["c"].tolist(), t[t["b"] > 2]["a"].tolist(), t.as_array()


@rounded(1e-12)
def times(np):
    t = time.Time(np.array([2451545.0, 2451546.5]), format="jd")
    return t.iso, t.mjd, (t + np.arange(2) * u.day).jd


@rounded(1e-11)
def sky(np):
    c = coordinates.SkyCoord(np.arange(3.0) * u.deg, np.arange(3.0) * u.deg)
    return c.galactic.l.value, c.separation(c[0]).value, c.cartesian.xyz.value


def files(np):
    fits.PrimaryHDU(grid(np, "float32")).writeto("a.fits")
    with fits.open("a.fits") as opened:
        x = np.asarray(opened[0].data)
        return x * 2, opened[0].data.dtype, opened[0].header["NAXIS1"]


def file_of_a_table(np):
    columns = [
        fits.Column("a", "D", array=pending(np)),
        fits.Column("b", "J", array=np.arange(200_000)),
    ]
    fits.BinTableHDU.from_columns(columns).writeto("b.fits")
    with fits.open("b.fits") as opened:
        return np.asarray(opened[1].data["a"]) + 1, opened[1].data["b"].sum()


@rounded(1e-8)
def models(np):
    x = np.linspace(-3, 3, 60)
    g = modeling.models.Gaussian1D(2.0, 0.5, 1.0)
    fitted = modeling.fitting.LevMarLSQFitter()(modeling.models.Gaussian1D(1.0, 0, 1), x, g(x))
    return fitted.parameters, g(pending(np)[:3])


@rounded(1e-12)
def statistics(np):
    return stats.sigma_clipped_stats(grid(np)), stats.mad_std(pending(np))


@rounded(1e-10)
def world_coordinates(np):
    w = wcs.WCS(naxis=2)
    w.wcs.crpix, w.wcs.cdelt, w.wcs.ctype = [1, 1], np.array([-0.1, 0.1]), ["RA---TAN", "DEC--TAN"]
    return w.all_pix2world(np.arange(6.0).reshape(3, 2), 0), w.wcs_world2pix(np.ones((1, 2)), 1)


def lists_of_quantities(np):
    q = np.array([1.0, 2, 3]) * u.m
    parts = (
        np.choose(np.array([0, 1, 0]), [q, q * 2]),
        np.fromfunction(lambda i: i * 2, (3,), like=q),
        np.select([q > 2 * u.m], [q]),
    )
    return [(p.value, str(p.unit)) for p in parts]


def ufuncs_of_another_package(np):
    import erfa.ufunc as functions
    from erfa import dt_pv

    pv = np.zeros(2, dtype=dt_pv)
    pv["p"] = [1, 0, 0]
    q = u.Quantity(pv, "au,au/day")
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    found = functions.rxpv(turn, q)
    return found["p"].value, str(found.unit), functions.p2s(turn * u.m)[0].value
