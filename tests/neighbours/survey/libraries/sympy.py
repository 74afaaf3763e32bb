"""SymPy and mpmath: functions made of expressions, matrices, numbers."""

import sympy as sp

from tests.neighbours.survey.inputs import pending, rounded

X = sp.Symbol("x")


@rounded(1e-13)
def by_default(np):
    f = sp.lambdify(X, sp.sin(X) + X**2)
    return f(np.ones(3)), f(pending(np)), f(2.0)


@rounded(1e-13)
def by_name(np):
    return sp.lambdify(X, sp.exp(X), "numpy")(np.arange(3.0)), sp.lambdify(X, sp.exp(-X), "numpy")(
        pending(np)
    )


@rounded(1e-13)
def by_module(np):
    f = sp.lambdify(X, sp.sin(X), np)
    return f(np.ones(3)), f(pending(np))


def piecewise_by_module(np):
    f = sp.lambdify(X, sp.Piecewise((X, X > 1), (0, True)), np)
    return f(np.arange(4.0)), f(pending(np))


@rounded(1e-13)
def by_module_in_a_list(np):
    f = sp.lambdify(X, sp.Abs(sp.cos(X)) + sp.sqrt(X), [np, "math"])
    return f(np.arange(3.0))


def source_by_module(np):
    import inspect

    return inspect.getsource(sp.lambdify(X, sp.Matrix([[X, 1], [0, X**2]]), np))


def matrix_by_module(np):
    return sp.lambdify(X, sp.Matrix([[X, 1], [0, X**2]]), np)(np.float64(2))


def by_dictionary(np):
    return sp.lambdify(X, sp.Function("f")(X), [{"f": np.sqrt}, "numpy"])(np.array([1.0, 4]))


def matrices(np):
    return sp.Matrix(np.arange(4).reshape(2, 2)), np.array(sp.Matrix([[1, 2], [3, 4]])).astype(
        float
    )


def numbers(np):
    return (
        sp.Float(np.float64(0.5)),
        sp.sympify(np.int64(3)),
        sp.Integer(np.int32(2)) * np.float64(2),
        X + np.float64(1),
    )


def expressions_in_arrays(np):
    x = np.array([X, X + 1])
    return [str(v) for v in x * 2 + np.arange(2)], str(x.sum())


def multiple_precision(np):
    import mpmath

    return (
        str(mpmath.mpf(np.float64(0.1))),
        mpmath.matrix(np.eye(2)).tolist(),
        str(np.array([mpmath.mpf(1)]) * 2),
    )
