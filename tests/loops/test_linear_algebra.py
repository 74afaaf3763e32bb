"""Inverses, determinants and solutions of linear systems in compiled loops."""

from __future__ import annotations

import pytest

from tests.loops import test_compiled

WHOLE = {
    "inverses": """
D = np.eye(7) * 3 + B / 4
for i in range(1, n):
    A[:i, :i] = np.linalg.inv(D[:i, :i])
    y[i] = np.linalg.inv(D.T * (i + 1))[0, i] + np.linalg.inv(D[::2, ::2] @ D[1:5, 1:5])[1, 1]
    q = np.linalg.inv(D[:2, :2] + i)
    z = q[0, 1]
""",
    "determinants": """
for i in range(1, n):
    y[i] = np.linalg.det(B[:i, :i]) + np.linalg.det(A[1:3, i - 1:i + 1]) * np.linalg.det(np.eye(3))
    s = np.linalg.det(np.zeros((2, 2)))
""",
    "solutions": """
D = np.eye(7) * 4 + B / 8
for i in range(1, n):
    x[:i] = np.linalg.solve(D[:i, :i], y[:i] + i)
    y[:] = np.linalg.solve(D.T, A[:, i]) * np.linalg.solve(D, np.ones(7))
    A[:, :2] = np.linalg.solve(D, B[:, i - 1:i + 1])
    A[:] = np.linalg.solve(D, B.T)
    w[i] = np.linalg.solve(D, x)[0] > 0
""",
    "a method that solves": """
class Newton:
    def __init__(self):
        self.x = np.array([1.0, 0.5])
    def step(self, p):
        J = np.array([[2 * self.x[0], 1.0], [1.0, 3 * self.x[1] ** 2 + 1]])
        f = np.array([self.x[0] ** 2 + self.x[1] - p, self.x[0] + self.x[1] ** 3 - 1])
        self.x = self.x - np.linalg.solve(J, f)
        return np.linalg.det(J)
newton = Newton()
for i in range(n):
    y[i] = newton.step(i + 2)
    x[i] = newton.x[0]
""",
}
LEFT = {
    "singular matrices": """
for i in range(n):
    D = np.eye(2) * (3 - i)
    y[i] = np.linalg.inv(D)[0, 0]
""",
    "systems that are singular": """
for i in range(n):
    D = np.eye(2) * (3 - i)
    y[:2] = np.linalg.solve(D, x[:2])
""",
    "matrices that are not square": """
for i in range(n):
    y[i] = np.linalg.inv(A[:2, 5 - i:])[0, 0]
""",
    "of no elements, and of other lengths": """
for i in range(3):
    s = np.linalg.det(A[:2 - i, :2 - i])
    y[i:i + 2] = np.linalg.solve(np.eye(2), x[:2 + i // 2])
""",
    "determinants beyond the numbers": """
for i in range(4):
    y[i] = np.linalg.det(np.eye(3) * 1e100 ** (i + 1))
    y[i + 1] = np.linalg.det(np.eye(2) * 1e-200)
""",
    "numbers that are none": """
D = np.eye(2)
for i in range(4):
    if i == 2: D[0, 1] = np.inf
    y[i] = np.linalg.inv(D)[0, 0]
    y[i + 1] = np.linalg.solve(D, x[:2])[1]
""",
    "a division by zero before": """
D = np.eye(2) * 2
for i in range(4):
    y[i] = (x[i] / (2 - i)) + np.linalg.inv(D * (x[5] / (3 - i)))[0, 0]
""",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    """The loop is compiled, never left, and agrees to the last bit."""
    test_compiled.assert_whole(*test_compiled.run(WHOLE[name]))


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    """What raises or warns is the interpreter's."""
    test_compiled.assert_same(*test_compiled.run(LEFT[name]))


def test_arrays_of_numpys() -> None:
    """NumPy's functions of NumPy's arrays give such."""
    sites, difference = test_compiled.run("""
import numpy
D = numpy.eye(3) * 2
for i in range(n):
    q = numpy.linalg.inv(D)
    r = np.linalg.inv(D)
    y[:3] = numpy.linalg.solve(D, numpy.ones(3))
kinds = (type(q) is numpy.ndarray, type(r) is numpy.ndarray, type(q) is np.ndarray)
""")
    test_compiled.assert_whole(sites, difference)
