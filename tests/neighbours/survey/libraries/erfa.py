"""pyerfa and astropy-healpix: ufuncs of other packages, on records, vectors and matrices."""

import erfa

from tests.neighbours.survey.inputs import grid, pending, raised, rounded

PACKAGE = "pyerfa"


@rounded(1e-12)
def calendar(np):
    days, parts = np.full(3, 2_458_826.0), np.linspace(0, 0.5, 3)
    year, month, day, fraction = erfa.jd2cal(days, parts)
    return year, month, day, fraction, erfa.epj(days, parts)


@rounded(1e-12)
def vectors(np):
    p = grid(np, rows=50_000, columns=3) + 1
    length, unit = erfa.ufunc.pn(p)
    return length, unit, erfa.pdp(p, p), erfa.pxp(p, unit * 2), erfa.c2s(p)


@rounded(1e-12)
def matrices(np):
    r = erfa.rx(0.5, np.eye(3))
    return r, erfa.rxp(r, np.arange(3.0)), erfa.rxr(r, np.eye(3) * 2), erfa.tr(r)


@rounded(1e-12)
def records(np):
    pv = np.zeros(4, dtype=erfa.dt_pv)
    pv["p"][:, 0] = np.arange(4.0)
    pv["v"] += np.ones(3)
    return erfa.pv2s(pv), erfa.pvstar.__name__, pv["p"], erfa.trxpv(np.eye(3), pv)["v"]


@rounded(1e-12)
def out_given(np):
    out = np.zeros(200_000)
    got = erfa.ufunc.anp(pending(np) / 7, out)
    out += 1
    return got is out, out


def errors(np):
    wrong = erfa.cal2jd
    return raised(lambda: wrong(np.array([-10_000, 2000]), 1, 1)), raised(
        lambda: erfa.anp(np.array(["a"]))
    )[0]


@rounded(1e-10)
def healpix(np):
    import astropy_healpix.healpy as hp

    theta, phi = np.linspace(0.1, 3, 50), np.linspace(0, 6, 50)
    pixels = hp.ang2pix(64, theta, phi)
    return pixels, hp.pix2ang(64, pixels), hp.nest2ring(64, np.arange(20) * 3)


@rounded(1e-10)
def healpix_of_pending(np):
    from astropy_healpix import core

    pixels = np.arange(40_000) * 3 % core.nside_to_npix(64)
    lon, lat = core.healpix_to_lonlat(pixels, 64)
    return lon.value, lat.value, core.neighbours(pixels[:9], 64)
