"""healpy: pixels and maps of the sphere."""

import healpy as hp

from tests.neighbours.survey.inputs import grid, rounded


def _map(np):
    return grid(np, rows=1, columns=12 * 64**2)[0]


@rounded(1e-12)
def pixels_of_angles(np):
    angles = np.linspace(0.1, 3, 50)
    return hp.ang2pix(64, angles, angles), hp.ang2vec(angles, angles)


@rounded(1e-12)
def angles_of_pixels(np):
    return hp.pix2ang(64, np.arange(200_000 % 49_152)), hp.pix2vec(8, np.arange(20))


def nested(np):
    return (
        hp.nest2ring(64, np.arange(100)),
        hp.ring2nest(64, np.arange(100)),
        hp.reorder(_map(np), r2n=True),
    )


@rounded(1e-9)
def anafast(np):
    return hp.anafast(_map(np), lmax=20)


@rounded(1e-9)
def smoothing(np):
    return hp.smoothing(_map(np), sigma=0.1, lmax=20)


@rounded(1e-9)
def map2alm(np):
    return hp.map2alm(_map(np), lmax=20)


@rounded(1e-9)
def alm2map(np):
    alm = np.arange(231) * (1 + 0.5j)
    return hp.alm2map(alm, 16)


def degraded(np):
    return hp.ud_grade(_map(np), 16), hp.ud_grade(np.arange(12.0), 2)


def masked(np):
    m = _map(np)
    m[5] = hp.UNSEEN
    return hp.ma(m).filled(-1), hp.mask_bad(m), hp.pixelfunc.get_nside(m)


@rounded(1e-12)
def rotated(np):
    return hp.Rotator(coord="GC")(np.array([0.1, 0.2]), np.array([0.3, 0.4]))


@rounded(1e-12)
def interpolated(np):
    return hp.get_interp_val(_map(np), np.array([0.5, 1]), np.array([0.2, 0.3]))


def disc(np):
    return hp.query_disc(32, np.array([1.0, 0, 0]), 0.2), hp.get_all_neighbours(8, np.arange(4))


def stored(np):
    hp.write_map("a.fits", _map(np), dtype=np.float64)
    return hp.read_map("a.fits", dtype=np.float64)
