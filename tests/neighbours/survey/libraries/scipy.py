"""SciPy: compiled functions, callbacks, results used again, memory written in place."""

from scipy import (
    fft,
    integrate,
    interpolate,
    io,
    linalg,
    ndimage,
    optimize,
    signal,
    sparse,
    spatial,
    special,
    stats,
)

from tests.neighbours.survey.inputs import grid, pending, rounded


def _matrix(np):
    return np.arange(16.0).reshape(4, 4) % 7 + 5 * np.eye(4)


@rounded(1e-12)
def solutions(np):
    A = _matrix(np)
    return linalg.solve(A, np.ones(4)), linalg.inv(A), linalg.lu(A)[1], linalg.expm(A / 10)


def overwritten_by_blas(np):
    A, b = _matrix(np), np.ones(4)
    x = linalg.lapack.dgesv(A, b)[2]
    return A, b, x


def overwritten_on_request(np):
    A = np.asfortranarray(_matrix(np))
    return linalg.lapack.dgesv(A, np.ones((4, 1), order="F"), overwrite_a=1)[3], A.shape


@rounded(1e-12)
def blas(np):
    return linalg.blas.ddot(pending(np), np.ones(200_000)), linalg.blas.dnrm2(pending(np))


def blas_in_place(np):
    x, y = np.arange(4.0), pending(np)
    linalg.blas.dscal(2.0, x)
    result = linalg.blas.daxpy(pending(np), y, a=2.0)
    return x, y, result


@rounded(1e-12)
def transforms(np):
    return fft.fft(np.arange(8.0)), fft.rfft(pending(np)), fft.fft2(grid(np)), fft.dct(grid(np))


def overwritten_transform(np):
    x = pending(np, "complex128")
    return fft.fft(x, overwrite_x=True).shape


def labels_into_an_array(np):
    mask = grid(np) > 100
    out = np.zeros((400, 500), np.int32)
    return ndimage.label(mask, output=out), out


def label_into_its_like(np):
    x = np.array([[0, 1, 1], [0, 0, 1], [1, 0, 0]])
    out = np.zeros_like(x, dtype=np.int32)
    return ndimage.label(x, output=out), out


def filters_into_an_array(np):
    out = grid(np)
    ndimage.uniform_filter(grid(np), 3, output=out)
    out += 1
    return out, ndimage.maximum_filter(grid(np, "uint8"), 5)


def generic_filter(np):
    return ndimage.generic_filter(grid(np)[:30, :30], lambda v: np.max(v) - np.min(v), 3)


def generic_filter_one_dimension(np):
    def double(line, out):
        out[...] = np.asarray(line)[1:-1] * 2

    return ndimage.generic_filter1d(grid(np), double, 3)


def geometric_transform(np):
    return ndimage.geometric_transform(np.arange(20.0).reshape(4, 5), lambda p: (p[0], p[1]))


@rounded(1e-9)
def minimized(np):
    f = lambda x: np.sum((x - np.arange(3.0)) ** 2)  # noqa: E731
    found = optimize.minimize(f, np.zeros(3), jac=lambda x: 2 * (x - np.arange(3.0)))
    return found.x, found.nit, found.success


@rounded(1e-9)
def roots(np):
    f = lambda x: np.array([x[0] ** 2 - 2, x[0] * x[1] - 1])  # noqa: E731
    return optimize.root(f, np.ones(2)).x, optimize.fsolve(f, np.ones(2))


@rounded(1e-9)
def fitted(np):
    x = np.linspace(0, 1, 50)
    model = lambda x, a, b: a * np.exp(-b * x)  # noqa: E731
    return optimize.curve_fit(model, x, model(x, 2.0, 3.0), p0=np.array([1.0, 1.0]))[0]


@rounded(1e-8)
def differential_equations(np):
    f = lambda t, y: np.array([y[1], -y[0]])  # noqa: E731
    ode = integrate.odeint(lambda y, t: f(t, y), np.array([1.0, 0]), np.linspace(0, 1, 5))
    return ode, integrate.solve_ivp(f, (0, 1), np.array([1.0, 0])).y


@rounded(1e-9)
def integrals(np):
    return (
        integrate.quad(np.cos, 0, 1)[0],
        integrate.simpson(pending(np)),
        integrate.trapezoid(grid(np)),
    )


@rounded(1e-12)
def interpolations(np):
    x = np.arange(10.0)
    spline = interpolate.CubicSpline(x, x**2)
    return spline(np.linspace(0, 9, 30)), interpolate.interp1d(x, x)(pending(np)[:4]), spline(x, 1)


@rounded(1e-12)
def splines(np):
    x = np.arange(20.0)
    knots = interpolate.splrep(x, x**2)
    return interpolate.splev(np.linspace(0, 19, 7), knots), interpolate.make_interp_spline(x, x)(
        2.5
    )


def grids(np):
    points = (np.arange(4.0), np.arange(5.0))
    f = interpolate.RegularGridInterpolator(points, np.arange(20.0).reshape(4, 5))
    return f(np.array([[1.5, 2.5], [0, 0]]))


@rounded(1e-11)
def welch(np):
    return signal.welch(pending(np) % 1000, nperseg=256)


@rounded(1e-10)
def filters(np):
    b, a = signal.butter(3, 0.1)
    return (
        signal.lfilter(b, a, pending(np)),
        signal.filtfilt(b, a, grid(np)),
        signal.medfilt(np.arange(9.0), 3),
    )


def convolved(np):
    return signal.convolve(np.arange(5.0), np.ones(3)), signal.find_peaks(grid(np)[0])[0]


def sparse_matrices(np):
    A = sparse.csr_array(grid(np))
    return A @ np.ones(500), A.toarray(), (A * 2).data[:5], A.sum(axis=0), np.ones(400) @ A


def sparse_parts(np):
    data, rows, columns = np.arange(1.0, 4), np.array([0, 1, 1]), np.array([2, 0, 1])
    A = sparse.coo_array((data, (rows, columns)), shape=(3, 3)).tocsr()
    A.data += 1
    return A.toarray(), data, A.indices


@rounded(1e-9)
def sparse_solutions(np):
    A = sparse.csc_array(_matrix(np))
    return sparse.linalg.spsolve(A, np.ones(4)), sparse.linalg.cg(np.eye(4) * 2, np.ones(4))[0]


@rounded(1e-8)
def linear_operator(np):
    A = sparse.linalg.LinearOperator((4, 4), matvec=lambda v: _matrix(np) @ v, dtype=float)
    return sparse.linalg.gmres(A, np.ones(4))[0], A @ np.ones(4)


@rounded(1e-13)
def special_functions(np):
    x = pending(np)
    return (
        special.erf(x / 1e5),
        special.gammaln(x),
        special.expit(np.arange(3.0)),
        special.comb(5, 2),
    )


def special_into_an_array(np):
    out = pending(np)
    result = special.expit(np.zeros(200_000), out=out)
    out += 1
    return out, result is out


@rounded(1e-11)
def statistics(np):
    x = pending(np)
    return (
        stats.zscore(x),
        stats.skew(x),
        stats.ttest_1samp(x, 5).pvalue,
        stats.rankdata(np.array([3, 1, 2])),
    )


@rounded(1e-12)
def distributions(np):
    draws = stats.norm.rvs(size=5, random_state=np.random.default_rng(1))
    return draws, stats.norm.cdf(np.arange(3.0)), stats.poisson.pmf(np.arange(4), 2.0)


def trees(np):
    points = np.array([[0.0, 0], [1, 1], [2, 3], [5, 5]])
    tree = spatial.cKDTree(points)
    return (
        tree.query(np.array([[1.0, 2]]), k=2),
        tree.query_ball_point(points, 2.0),
        np.asarray(tree.data),
    )


@rounded(1e-12)
def distances(np):
    points = grid(np)[:20]
    return (
        spatial.distance.cdist(points, points),
        spatial.distance.pdist(points),
        spatial.distance.euclidean(points[0], points[1]),
    )


def hulls(np):
    points = np.array([[0.0, 0], [4, 0], [4, 4], [0, 4], [2, 2]])
    return spatial.ConvexHull(points).volume, np.sort(spatial.Delaunay(points).simplices.ravel())


@rounded(1e-12)
def rotations(np):
    r = spatial.transform.Rotation.from_euler("xyz", np.array([0.1, 0.2, 0.3]))
    return r.as_matrix(), r.apply(np.eye(3)), r.as_quat()


def files(np):
    io.savemat("a.mat", {"x": pending(np), "y": np.arange(3)})
    found = io.loadmat("a.mat")
    io.wavfile.write("a.wav", 8000, grid(np, "int16"))
    return found["x"], found["y"], io.wavfile.read("a.wav")


def assignment(np):
    return optimize.linear_sum_assignment(np.array([[4.0, 1, 3], [2, 0, 5], [3, 2, 2]]))


@rounded(1e-9)
def linear_program(np):
    return optimize.linprog(
        np.array([-1.0, 4]), A_ub=np.array([[-3.0, 1], [1, 2]]), b_ub=np.array([6.0, 4])
    ).x


@rounded(1e-12)
def toeplitz(np):
    return (
        linalg.toeplitz(np.arange(4)),
        linalg.solve_toeplitz(np.array([2.0, 1, 0]), np.ones(3)),
        linalg.block_diag(np.eye(2), np.ones((1, 1))),
    )
