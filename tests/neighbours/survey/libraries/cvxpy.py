"""CVXPY: expressions of arrays and variables in every order, and solutions."""

import cvxpy as cp

from tests.neighbours.survey.inputs import rounded


def _shapes(np):
    return np.arange(6.0).reshape(2, 3) + 1, cp.Variable(3), np.ones(3)


def _form(call):
    def program(np):
        A, x, ones = _shapes(np)
        result = call(np, A, x, ones)
        return type(result).__name__, getattr(result, "shape", None), str(result.is_dcp())

    return program


def matrix_times_variable(np):
    return _form(lambda np, A, x, ones: A @ x)(np)


def variable_times_matrix(np):
    return _form(lambda np, A, x, ones: x @ A.T)(np)


def array_plus_variable(np):
    return _form(lambda np, A, x, ones: ones + x)(np)


def variable_plus_array(np):
    return _form(lambda np, A, x, ones: x + ones)(np)


def array_minus_variable(np):
    return _form(lambda np, A, x, ones: ones - x)(np)


def array_below_variable(np):
    return _form(lambda np, A, x, ones: ones <= x)(np)


def array_above_variable(np):
    return _form(lambda np, A, x, ones: ones >= x)(np)


def array_equal_to_variable(np):
    return _form(lambda np, A, x, ones: ones == x)(np)


def variable_equal_to_array(np):
    return _form(lambda np, A, x, ones: x == ones)(np)


def array_times_elements(np):
    return _form(lambda np, A, x, ones: cp.multiply(ones, x))(np)


def scalar_times_variable(np):
    return _form(lambda np, A, x, ones: np.float64(2) * x)(np)


def variable_over_array(np):
    return _form(lambda np, A, x, ones: x / ones)(np)


def stacked(np):
    return _form(lambda np, A, x, ones: cp.hstack([x, ones]))(np)


def atoms(np):
    A, x, ones = _shapes(np)
    parts = [cp.sum_squares(A @ cp.Constant(ones)), cp.norm(x - ones), cp.quad_form(x, np.eye(3))]
    return [(part.shape, str(part.curvature)) for part in parts], parts[0].value


def constant(np):
    c = cp.Constant(np.arange(3.0))
    return c.value, c.shape, (c + 1).value


def parameter(np):
    p = cp.Parameter(3)
    p.value = np.arange(3.0)
    return p.value, (p * 2).value


def initial_value(np):
    x = cp.Variable(3)
    x.value = np.arange(3.0)
    return (x + 1).value, x.value


@rounded(1e-4)
def least_squares(np):
    A = np.arange(12.0).reshape(4, 3) ** 2 % 7
    x = cp.Variable(3)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(A @ x - np.ones(4))), [x >= 0])
    problem.solve()
    return x.value, problem.value


@rounded(1e-5)
def least_squares_with_the_constant_last(np):
    A = np.arange(12.0).reshape(4, 3) ** 2 % 7
    x = cp.Variable(3)
    cp.Problem(cp.Minimize(cp.sum_squares(cp.Constant(A) @ x - np.ones(4))), [x <= 1]).solve()
    return x.value


def foreign_function(np):
    x = cp.Variable(3)
    try:
        return str(np.sqrt(x))
    except Exception as error:
        return type(error).__name__, str(error)
