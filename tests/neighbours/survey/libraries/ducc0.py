"""ducc0: transforms into results that are handed in, HEALPix, spherical harmonics."""

import ducc0

from tests.neighbours.survey.inputs import pending, raised, rounded


@rounded(1e-9)
def fft(np):
    x = pending(np).reshape(400, 500)
    y = ducc0.fft.c2c(x + 0j)
    o = np.empty((400, 500))
    ducc0.fft.genuine_hartley(x, out=o)
    z = o * 2
    return (
        np.abs(y[:3]),
        o,
        z,
        ducc0.fft.r2c(x.astype(np.float32) / 1e5).dtype,
        ducc0.fft.dct(x[::2], type=2),
    )


@rounded(1e-8)
def healpix(np):
    b = ducc0.healpix.Healpix_Base(16, "RING")
    p = np.arange(b.npix())
    return (
        b.pix2ang(p),
        b.ang2pix(np.array([[0.5, 1.0], [2, 3]])),
        b.pix2vec(p[::7]),
        b.neighbors(p[:5]),
    )


@rounded(1e-8)
def sht(np):
    a = np.random.default_rng(1).random((1, 66)) + 0j
    m = ducc0.sht.synthesis_2d(alm=a, spin=0, lmax=10, geometry="CC", ntheta=12, nphi=24)
    m *= 2
    return m, ducc0.sht.adjoint_synthesis_2d(map=m, spin=0, lmax=10, geometry="CC")


@rounded(1e-6)
def nufft(np):
    r = np.random.default_rng(2)
    c = r.random((500, 2)) * 6
    p = r.random(500) + 1j
    o = np.zeros((16, 18), dtype=complex)
    ducc0.nufft.nu2u(points=p, coord=c, epsilon=1e-7, forward=True, out=o)
    return o + 1, ducc0.nufft.u2nu(grid=o, coord=c[::2], epsilon=1e-7, forward=False)


@rounded(1e-9)
def misc(np):
    x = pending(np, "float32")
    return (
        ducc0.misc.vdot(x, x * 2),
        ducc0.misc.l2error(x, x + 1),
        ducc0.misc.GL_weights(8, 16),
        raised(lambda: ducc0.fft.c2c(np.arange(3))),
    )
