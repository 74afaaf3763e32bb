"""scipy returns the same bits, in NumPy's arrays, and does not change its arguments."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest
import scipy.fft
import scipy.io
import scipy.sparse.linalg
from scipy import (
    integrate,
    interpolate,
    linalg,
    ndimage,
    optimize,
    signal,
    sparse,
    spatial,
    special,
    stats,
)

from tests.neighbours.meeting import assert_no_more_copies, meet

RANDOM = numpy.random.default_rng(0)
A = RANDOM.random((40, 40))
S = A @ A.T + 40 * numpy.eye(40)  # symmetric and positive
B = RANDOM.random(40)
X = RANDOM.random(2000)
Y = RANDOM.random(2000)
T = numpy.arange(2000.0)
IMAGE = RANDOM.random((40, 50))
LABELS = (IMAGE * 3).astype(int)
POINTS = RANDOM.random((300, 3))
PLANE = POINTS[:, :2].copy()

Cases = dict[str, tuple[Callable[..., Any], list[Any]]]

LINALG: Cases = {
    **{
        name: (getattr(linalg, name), [S])
        for name in "inv det pinv svd eigvals qr expm norm lu cholesky schur".split()
    },
    "solve": (linalg.solve, [S, B]),
    "solve, may overwrite": (
        lambda a, b: linalg.solve(a, b, overwrite_a=False, overwrite_b=False),
        [numpy.asfortranarray(S), B],
    ),
    "lstsq": (linalg.lstsq, [A, B]),
    "eigh": (linalg.eigh, [S]),
    "block_diag": (linalg.block_diag, [A, S]),
    "toeplitz": (linalg.toeplitz, [B]),
    "blas": (linalg.blas.ddot, [X, Y]),
}

FFT: Cases = {
    name: (getattr(scipy.fft, name), [IMAGE])
    for name in "fft ifft rfft dct fft2 fftn fftshift next_fast_len".split()
    if name != "next_fast_len"
}

SPARSE: Cases = {
    "dense to rows and back": (lambda a: sparse.csr_array(a).toarray(), [A]),
    "coordinates": (
        lambda d, i, j: sparse.coo_array((d, (i, j)), shape=(2000, 2000)).tocsr().sum(),
        [X, numpy.arange(2000), numpy.arange(2000)[::-1]],
    ),
    "its own parts": (
        lambda d, i, p: sparse.csr_array((d, i, p), shape=(40, 50)).toarray(),
        [X, numpy.tile(numpy.arange(50, dtype="i4"), 40), numpy.arange(41, dtype="i4") * 50],
    ),
    "matrix by vector": (lambda a, v: sparse.csr_array(a) @ v, [A, B]),
    "vector by matrix": (lambda a, v: v @ sparse.csr_array(a), [A, B]),
    "matrix by rows": (lambda a, b: sparse.csr_array(a) @ b, [A, S]),
    "matrix by column": (lambda a, v: sparse.csc_matrix(a) @ v, [A, B[:, None]]),
    "rows by matrix": (lambda a, b: b @ sparse.coo_array(a), [A, S]),
    "elementwise": (lambda a: (sparse.csr_array(a) * a).toarray(), [A]),
    "rows by an array": (lambda a, k: sparse.csr_array(a)[k].toarray(), [A, numpy.arange(3)]),
    "spsolve": (lambda a, b: sparse.linalg.spsolve(sparse.csc_array(a), b), [S, B]),
    "eigsh": (lambda a, v: sparse.linalg.eigsh(sparse.csc_array(a), k=3, v0=v)[0], [S, B]),
    "cg of a dense matrix": (lambda a, b: sparse.linalg.cg(a, b)[0], [S, B]),
}

OPTIMIZE: Cases = {
    "minimize": (lambda v: optimize.minimize(optimize.rosen, v, method="BFGS").x, [B[:4]]),
    "minimize with bounds": (
        lambda v: optimize.minimize(optimize.rosen, v, bounds=optimize.Bounds(v * 0, v * 0 + 2)).x,
        [B[:4]],
    ),
    "least_squares": (
        lambda x, y: optimize.least_squares(lambda p: p[0] * x + p[1] - y, [1.0, 2.0]).x,
        [X, Y],
    ),
    "curve_fit": (lambda x, y: optimize.curve_fit(lambda t, a, b: a * t + b, x, y)[0], [X, Y]),
    "fsolve": (lambda v: optimize.fsolve(lambda t: t**2 - v, v), [B]),
    "linprog": (lambda c, a, b: optimize.linprog(c, A_ub=-a, b_ub=-b).x, [B, A, B]),
    "nnls": (lambda a, b: optimize.nnls(a, b)[0], [A, B]),
    "linear_sum_assignment": (optimize.linear_sum_assignment, [A]),
    "brentq": (lambda v: optimize.brentq(lambda t: float(((t - v) ** 3).sum()), -1, 2), [B]),
}

SPECIAL: Cases = {
    **{name: (getattr(special, name), [X]) for name in "erf gamma j0 expit gammaln psi".split()},
    "two arguments": (special.jv, [X, Y]),
    "out=": (lambda x, y: special.erf(x, out=y), [X, Y]),
    "logsumexp": (special.logsumexp, [X]),
    "softmax": (lambda a: special.softmax(a, axis=1), [A]),
}

STATS: Cases = {
    **{
        name: (getattr(stats, name), [X])
        for name in "zscore skew kurtosis sem iqr gmean rankdata normaltest shapiro".split()
    },
    "describe": (stats.describe, [X]),
    "ttest_ind": (lambda x, y: tuple(stats.ttest_ind(x, y)), [X, Y]),
    "pearsonr": (lambda x, y: tuple(stats.pearsonr(x, y)), [X, Y]),
    "kstest": (lambda x: tuple(stats.kstest(x, "norm")), [X]),
    "linregress": (lambda x, y: tuple(stats.linregress(x, y)), [X, Y]),
    "norm.pdf": (stats.norm.pdf, [X]),
    "norm.fit": (stats.norm.fit, [X]),
    "gaussian_kde": (lambda x, y: stats.gaussian_kde(x)(y), [X, Y[:20]]),
    "rvs": (lambda b: stats.norm.rvs(loc=b, random_state=1), [B]),
}

SIGNAL: Cases = {
    "convolve": (signal.convolve, [X, Y[:30]]),
    "fftconvolve": (signal.fftconvolve, [X, Y[:50]]),
    "lfilter": (signal.lfilter, [B[:3], numpy.array([1.0, 0.2]), X]),
    "filtfilt": (signal.filtfilt, [B[:3], numpy.array([1.0, 0.2]), X]),
    "sosfilt": (lambda x: signal.sosfilt(signal.butter(4, 0.2, output="sos"), x), [X]),
    "welch": (signal.welch, [X]),
    "spectrogram": (signal.spectrogram, [X]),
    "find_peaks": (lambda x: signal.find_peaks(x)[0], [X]),
    "savgol_filter": (lambda x: signal.savgol_filter(x, 11, 3), [X]),
    "hilbert": (signal.hilbert, [X]),
    "detrend": (signal.detrend, [X]),
    "convolve2d": (signal.convolve2d, [IMAGE, A[:3, :3]]),
}

INTERPOLATE: Cases = {
    "interp1d": (lambda x, y, q: interpolate.interp1d(x, y)(q), [T, Y, X * 1000]),
    "CubicSpline": (lambda x, y, q: interpolate.CubicSpline(x, y)(q), [T, Y, X * 1000]),
    "splrep": (interpolate.splrep, [T, Y]),
    "griddata": (interpolate.griddata, [PLANE, X[:300], PLANE[:5] * 0.5 + 0.2]),
    "RegularGridInterpolator": (
        lambda a, b, z, q: interpolate.RegularGridInterpolator((a, b), z)(q),
        [numpy.arange(40.0), numpy.arange(50.0), IMAGE, PLANE * 10],
    ),
    "RBFInterpolator": (lambda p, v: interpolate.RBFInterpolator(p, v)(p[:5]), [POINTS, X[:300]]),
}

INTEGRATE: Cases = {
    "simpson": (integrate.simpson, [Y]),
    "trapezoid": (integrate.trapezoid, [Y, T]),
    "cumulative_trapezoid": (integrate.cumulative_trapezoid, [Y]),
    "odeint": (
        lambda y, t: integrate.odeint(lambda y, t: -y, y, t),
        [B[:3], numpy.linspace(0, 1, 50)],
    ),
    "solve_ivp": (lambda y: integrate.solve_ivp(lambda t, y: -y, (0, 1), y).y, [B[:3]]),
    "quad": (lambda v: integrate.quad(lambda t: float((t * v).sum()), 0, 1)[0], [B]),
}

NDIMAGE: Cases = {
    "gaussian_filter": (lambda z: ndimage.gaussian_filter(z, 2), [IMAGE]),
    "gaussian_filter, output=": (
        lambda z, out: ndimage.gaussian_filter(z, 2, output=out),
        [IMAGE, IMAGE * 0],
    ),
    "median_filter": (lambda z: ndimage.median_filter(z, 3), [IMAGE]),
    "label": (ndimage.label, [IMAGE > 0.5]),
    "map_coordinates": (ndimage.map_coordinates, [IMAGE, PLANE.T * 30]),
    "zoom": (lambda z: ndimage.zoom(z, 2), [IMAGE]),
    "distance_transform_edt": (ndimage.distance_transform_edt, [IMAGE > 0.5]),
    "sum_labels": (lambda z, k, i: ndimage.sum_labels(z, k, i), [IMAGE, LABELS, numpy.arange(2)]),
}

SPATIAL: Cases = {
    "KDTree": (lambda p, q: spatial.KDTree(p).query(q), [POINTS, POINTS[:5]]),
    "KDTree's data": (lambda p: spatial.KDTree(p).data, [POINTS]),
    "cdist": (spatial.distance.cdist, [POINTS, POINTS]),
    "pdist": (spatial.distance.pdist, [POINTS]),
    "squareform": (spatial.distance.squareform, [spatial.distance.pdist(POINTS)]),
    "ConvexHull": (lambda p: spatial.ConvexHull(p).vertices, [POINTS]),
    "Delaunay": (lambda p: spatial.Delaunay(p).simplices, [PLANE]),
    "Rotation": (
        lambda r, p: spatial.transform.Rotation.from_rotvec(r).apply(p),
        [POINTS[0], POINTS],
    ),
}

EVERYTHING = {
    f"{module}: {name}": case
    for module, cases in {
        "linalg": LINALG,
        "fft": FFT,
        "sparse": SPARSE,
        "optimize": OPTIMIZE,
        "special": SPECIAL,
        "stats": STATS,
        "signal": SIGNAL,
        "interpolate": INTERPOLATE,
        "integrate": INTEGRATE,
        "ndimage": NDIMAGE,
        "spatial": SPATIAL,
    }.items()
    for name, case in cases.items()
}

# Where our elementary functions or sums run inside, which round in another way.
# What computes sums with functions of arrays of ours, whose last digits differ.
ROUNDED = {"signal: welch": 1e-11, "stats: zscore": 1e-12, "stats: pearsonr": 1e-10}
ROUNDED |= {"integrate: trapezoid": 1e-15}


@pytest.mark.parametrize("name", EVERYTHING)
def test_result_is_the_same(name: str) -> None:
    call, arrays = EVERYTHING[name]
    meet(call, *arrays, rtol=ROUNDED.get(name, 0.0))


def test_ufuncs_of_scipy_give_arrays_of_ours() -> None:
    ours, _ = meet(special.erf, X)
    assert type(ours) is fastnp.ndarray


def test_files() -> None:
    def matlab(p: Any) -> Any:
        file = io.BytesIO()
        scipy.io.savemat(file, {"p": p})
        file.seek(0)
        return scipy.io.loadmat(file)["p"]

    meet(matlab, POINTS)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: scipy.fft.rfft(x)[0],
        lambda x: ndimage.uniform_filter1d(x, 3)[0],
        lambda x: signal.lfilter([1.0, 0.5], [1.0], x)[0],
        lambda x: stats.zscore(x)[0],
        lambda x: spatial.KDTree(x.reshape(-1, 2)[:1000]).n,
        lambda x: sparse.csr_array((x, numpy.zeros(x.size, int), [0, x.size])).nnz,
        lambda x: linalg.norm(x),
        lambda x: integrate.simpson(x),
    ],
)
def test_nothing_is_copied_on_the_way(call: Any) -> None:
    assert_no_more_copies(call, RANDOM.random(400_000))


def test_generated_wrappers_copy_what_they_must_not_write() -> None:
    """What f2py generates copies a `numpy.ndarray` that it must not write to, as ours is one."""
    b: Any = fastnp.array(B)
    linalg.lapack.dgesv(fastnp.array(S), b)
    assert numpy.array_equal(numpy.asarray(b), B)
    linalg.lapack.dgesv(fastnp.array(S), b, overwrite_b=True)
    assert numpy.allclose(numpy.asarray(b), numpy.linalg.solve(S, B))


def test_ufuncs_of_other_packages_are_ufuncs() -> None:
    special = pytest.importorskip("scipy.special")
    own: Any = numpy.frompyfunc(abs, 1, 1)
    for ufunc in (fastnp.sin, fastnp.frexp, numpy.sin, own, special.erf):
        assert isinstance(ufunc, fastnp.ufunc)
    for other in (sum, fastnp.sum, 1.0, fastnp.ones(2), type(fastnp.frexp)):
        assert not isinstance(other, fastnp.ufunc)
    assert type(fastnp.sin) is fastnp.ufunc and not isinstance(own, type(fastnp.frexp))


def test_one_signal_has_one_spectrum(monkeypatch: pytest.MonkeyPatch) -> None:
    transform, calls = signal.ShortTimeFFT.stft_detrend, list[int]()

    def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        calls.append(1)
        return transform(self, *args, **kwargs)

    monkeypatch.setattr(signal.ShortTimeFFT, "stft_detrend", counted)
    x = fastnp.array(X)
    for run, count in ((lambda v: signal.welch(v), 1), (lambda v: signal.csd(v, v + 1), 2)):
        calls.clear()
        theirs = run(X)
        assert len(calls) == count
        calls.clear()
        ours = run(x)
        assert len(calls) == count
        assert (ours[1] == theirs[1]).all()
