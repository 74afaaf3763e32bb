"""OSQP and other solvers that take sparse matrices and vectors."""

import osqp
from scipy import sparse

from tests.neighbours.survey.inputs import rounded


def _problem(np):
    matrix = sparse.csc_matrix(np.array([[4.0, 1], [1, 2]]))
    rows = sparse.csc_matrix(np.array([[1.0, 1], [1, 0], [0, 1]]))
    return matrix, np.ones(2), rows, np.array([1.0, 0, 0]), np.array([1.0, 0.7, 0.7])


@rounded(1e-3)
def solved(np):
    solver = osqp.OSQP()
    solver.setup(*_problem(np), verbose=False)
    return solver.solve().x


@rounded(1e-3)
def updated(np):
    solver = osqp.OSQP()
    solver.setup(*_problem(np), verbose=False)
    solver.update(q=np.array([2.0, 3.0]))
    solver.warm_start(x=np.array([0.3, 0.7]))
    return solver.solve().x


@rounded(1e-3)
def quadprog(np):
    import quadprog as package

    return package.solve_qp(np.eye(3), np.ones(3), np.eye(3), np.zeros(3))[0]


@rounded(1e-3)
def scs(np):
    import scs as package

    data = {
        "A": sparse.csc_matrix(np.array([[1.0], [-1.0]])),
        "b": np.array([1.0, 0]),
        "c": np.array([-1.0]),
    }
    return package.solve(data, {"l": 2}, verbose=False)["x"]


@rounded(1e-3)
def clarabel(np):
    import clarabel as package

    matrix, q, rows, low, high = _problem(np)
    settings = package.DefaultSettings()
    settings.verbose = False
    both = sparse.vstack([rows, -rows]).tocsc()
    bounds = np.concatenate([high, -low])
    solver = package.DefaultSolver(
        sparse.triu(matrix).tocsc(), q, both, bounds, [package.NonnegativeConeT(6)], settings
    )
    return list(solver.solve().x)


@rounded(1e-3)
def cvxopt(np):
    import cvxopt as package

    package.solvers.options["show_progress"] = False
    P, q, G, h = (package.matrix(a) for a in (np.eye(2), np.ones(2), -np.eye(2), np.zeros(2)))
    return np.array(package.solvers.qp(P, q, G, h)["x"])
