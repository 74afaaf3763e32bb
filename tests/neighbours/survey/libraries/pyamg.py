"""PyAMG: multigrid solvers, and relaxation that writes its argument."""

import pyamg

from tests.neighbours.survey.inputs import rounded


@rounded(1e-8)
def poisson(np):
    a = pyamg.gallery.poisson((40, 40), format="csr")
    ml = pyamg.ruge_stuben_solver(a)
    b = np.ones(1600) * 2
    r = []
    x = ml.solve(b, tol=1e-10, residuals=r)
    b[:] = 0
    return x, len(r)


@rounded(1e-7)
def smoothed(np):
    a = pyamg.gallery.poisson((30, 30), format="csr")
    np.random.seed(1)
    ml = pyamg.smoothed_aggregation_solver(a, B=np.ones((900, 1)))
    return ml.solve(np.arange(900.0), x0=np.zeros(900), tol=1e-9)


@rounded(1e-9)
def relaxation(np):
    a = pyamg.gallery.poisson((50, 50), format="csr")
    x, b = np.zeros(2500), np.ones(2500)
    pyamg.relaxation.relaxation.gauss_seidel(a, x, b, iterations=3)
    y = x * 2
    pyamg.relaxation.relaxation.jacobi(a, y, b, omega=0.7)
    v = np.zeros(5000)[::2]
    from tests.neighbours.survey.inputs import raised

    return x, y, raised(lambda: pyamg.relaxation.relaxation.gauss_seidel(a, v, b)), v


@rounded(1e-8)
def krylov(np):
    a = pyamg.gallery.poisson((20, 20), format="csr")
    return pyamg.krylov.cg(a, np.ones(400), tol=1e-10)[0], pyamg.krylov.gmres(
        a, np.arange(400.0), tol=1e-9, maxiter=60
    )[0]
