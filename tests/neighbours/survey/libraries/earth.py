"""Oceans, satellites, units, money: gsw, sgp4, unyt, numpy-financial."""

import gsw

from tests.neighbours.survey.inputs import pending, rounded

PACKAGE = "gsw"


@rounded(1e-12)
def densities(np):
    s, t = np.linspace(30, 36, 7), np.linspace(2, 20, 7)
    return gsw.rho(s, t, 10), gsw.sigma0(s, t), gsw.SA_from_SP(s, 100.0, -30.0, 40.0)


@rounded(1e-12)
def densities_of_pending(np):
    t = pending(np) / 1e4
    return gsw.rho(35.0, t, 0), gsw.CT_from_t(35.0, t, 10.0)


@rounded(1e-12)
def profile(np):
    p = np.arange(5.0) * 10
    return gsw.Nsquared(np.full(5, 35.0), np.arange(5.0)[::-1], p), gsw.z_from_p(p, 40.0)


LINES = (
    "1 25544U 98067A   19343.69339541  .00001764  00000-0  38792-4 0  9991",
    "2 25544  51.6439 211.2001 0007417  17.6667  85.6398 15.50103472202482",
)


@rounded(1e-10)
def satellites(np):
    from sgp4.api import Satrec, SatrecArray

    one = Satrec.twoline2rv(*LINES)
    days, parts = np.full(3, 2458826.0), np.linspace(0, 0.5, 3)
    return one.sgp4_array(days, parts), SatrecArray([one, one]).sgp4(days, parts)


@rounded(1e-12)
def units(np):
    from unyt import cm, km, s, unyt_array

    x = np.arange(3.0) * km
    y = unyt_array(np.ones(3), "km")
    parts = (x + y, np.sqrt(x * x), x.to(cm), np.concatenate([x, y]), x / (2 * s), np.sum(x))
    return [(part.value, str(part.units)) for part in parts]


@rounded(1e-12)
def units_of_pending(np):
    from unyt import m

    x = pending(np) * m
    x += 2 * m
    return x.value, str((x**2).units), (x > 3 * m).sum()


@rounded(1e-10)
def money(np):
    import numpy_financial as npf

    flows = np.array([-100.0, 39, 59, 55, 20])
    return npf.npv(0.1, flows), npf.irr(flows), npf.pmt(np.array([0.01, 0.02]), 12, 100)
