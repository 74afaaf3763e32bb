"""The kernels of linear algebra against loops, or against what they have to satisfy."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

Check = Callable[[dict[str, Any], dict[str, Any], Any], None]


def close(actual: Any, expected: Any) -> None:
    np.testing.assert_allclose(actual, expected, rtol=1e-10, atol=1e-12)


def product(a: Any, b: Any) -> Any:
    """The matrix product by its definition; a vector on the right is a column."""
    columns = b.reshape(len(b), -1).T
    rows = [[math.fsum(x * y for x, y in zip(r, c, strict=True)) for c in columns] for r in a]
    return np.array(rows).reshape(len(a), *b.shape[1:])


def positive_definite(A: Any) -> None:
    """The published input: symmetric, with a factor that starts with ones."""
    close(A, A.T)
    assert np.linalg.eigvalsh(A)[0] > 0
    n = len(A)
    factor = [
        [1.0 if j in (0, i) else (n - j) / n + 1 if j < i else 0.0 for j in range(n)]
        for i in range(n)
    ]
    close(A, product(np.array(factor), np.array(factor).T))


def atax(before: dict[str, Any], after: dict[str, Any], result: Any) -> None:
    A = before["A"]
    close(result, product(A.T, product(A, before["x"])))


def bicg(before: dict[str, Any], after: dict[str, Any], result: Any) -> None:
    close(result[0], product(before["A"].T, before["r"]))
    close(result[1], product(before["A"], before["p"]))


def cholesky(before: dict[str, Any], after: dict[str, Any], result: Any) -> None:
    positive_definite(before["A"])
    factor = np.tril(after["A"])
    close(product(factor, factor.T), before["A"])
    assert (factor.diagonal() > 0).all()
    # What is above the diagonal is nobody's business.
    close(np.triu(after["A"], 1), np.triu(before["A"], 1))


def contour_integral(before: dict[str, Any], after: dict[str, Any], result: Any) -> None:
    H, Y = before["Ham"], before["Y"]
    moments = np.zeros((2, *Y.shape), dtype=complex)
    inside = 0
    for z in before["int_pts"]:
        X = np.linalg.inv(H[0] * z + H[1] + H[2] / z) @ Y
        sign = -1 if abs(z) < 1 else 1
        inside += sign < 0
        moments += sign * np.array([X, z * X])
    assert 0 < inside < len(before["int_pts"]), "both kinds of points are tested"
    close(result, moments)


def covariance2(before: dict[str, Any], after: dict[str, Any], result: Any) -> None:
    centred = before["data"] - before["data"].mean(axis=0)
    close(result, product(centred.T, centred) / (before["float_n"] - 1))


def doitgen(before: dict[str, Any], after: dict[str, Any], result: Any) -> None:
    for r, q, p in np.ndindex(after["A"].shape):
        expected = math.fsum(before["A"][r, q, s] * before["C4"][s, p] for s in range(before["NP"]))
        close(after["A"][r, q, p], expected)


def durbin(before: dict[str, Any], after: dict[str, Any], result: Any) -> None:
    r = before["r"]
    n = len(r)
    first = np.concatenate([[1.0], r[:-1]])
    toeplitz = np.array([[first[abs(i - j)] for j in range(n)] for i in range(n)])
    np.testing.assert_allclose(product(toeplitz, result), -r, rtol=1e-8)


def gesummv(before: dict[str, Any], after: dict[str, Any], result: Any) -> None:
    x = before["x"]
    close(result, 1.5 * product(before["A"], x) + 1.2 * product(before["B"], x))


def k2mm(before: dict[str, Any], after: dict[str, Any], result: Any) -> None:
    A, B, C, D = (before[name] for name in "ABCD")
    close(after["D"], 1.5 * product(product(A, B), C) + 1.2 * D)


def k3mm(before: dict[str, Any], after: dict[str, Any], result: Any) -> None:
    A, B, C, D = (before[name] for name in "ABCD")
    close(result, product(product(A, B), product(C, D)))


def lu(before: dict[str, Any], after: dict[str, Any], result: Any) -> None:
    positive_definite(before["A"])
    lower = np.tril(after["A"], -1) + np.eye(len(after["A"]))
    close(product(lower, np.triu(after["A"])), before["A"])


def ludcmp(before: dict[str, Any], after: dict[str, Any], result: Any) -> None:
    lu(before, after, result)
    x, y = result
    close(product(before["A"], x), before["b"])
    close(product(np.triu(after["A"]), x), y)


def mvt(before: dict[str, Any], after: dict[str, Any], result: Any) -> None:
    A = before["A"]
    close(after["x1"], before["x1"] + product(A, before["y_1"]))
    close(after["x2"], before["x2"] + product(A.T, before["y_2"]))


def spmv(before: dict[str, Any], after: dict[str, Any], result: Any) -> None:
    starts, columns = before["A_row"].tolist(), before["A_col"].tolist()
    assert starts[0] == 0
    assert starts[-1] == len(columns) == before["A_val"].size == 30
    matrix = np.zeros((len(result), len(before["x"])))
    for i, (begin, end) in enumerate(itertools.pairwise(starts)):
        row = columns[begin:end]
        assert row == sorted(set(row)), "columns are in order and occur once"
        matrix[i, row] = before["A_val"][begin:end]
    close(result, product(matrix, before["x"]))


def symm(before: dict[str, Any], after: dict[str, Any], result: Any) -> None:
    lower = np.tril(before["A"])
    symmetric = lower + np.tril(lower, -1).T
    assert (before["A"][np.triu_indices_from(lower, 1)] == -999).all()
    close(after["C"], 1.5 * product(symmetric, before["B"]) + 1.2 * before["C"])


def update(before: dict[str, Any], after: dict[str, Any], full: Any) -> None:
    """A symmetric update changes the lower triangle only."""
    close(np.tril(after["C"]), np.tril(full + 1.2 * before["C"]))
    close(np.triu(after["C"], 1), np.triu(before["C"], 1))


def syr2k(before: dict[str, Any], after: dict[str, Any], result: Any) -> None:
    A, B = before["A"], before["B"]
    update(before, after, 1.5 * (product(A, B.T) + product(B, A.T)))


def syrk(before: dict[str, Any], after: dict[str, Any], result: Any) -> None:
    update(before, after, 1.5 * product(before["A"], before["A"].T))


def trisolv(before: dict[str, Any], after: dict[str, Any], result: Any) -> None:
    close(product(np.tril(before["L"]), after["x"]), before["b"])


def trmm(before: dict[str, Any], after: dict[str, Any], result: Any) -> None:
    A = before["A"]
    assert (A.diagonal() == 1).all()
    close(after["B"], 1.5 * product(np.tril(A).T, before["B"]))


CHECKS: dict[str, Check] = {
    "atax": atax,
    "bicg": bicg,
    "cholesky": cholesky,
    "cholesky2": cholesky,
    "contour_integral": contour_integral,
    "covariance2": covariance2,
    "doitgen": doitgen,
    "durbin": durbin,
    "gesummv": gesummv,
    "k2mm": k2mm,
    "k3mm": k3mm,
    "lu": lu,
    "ludcmp": ludcmp,
    "mvt": mvt,
    "spmv": spmv,
    "symm": symm,
    "syr2k": syr2k,
    "syrk": syrk,
    "trisolv": trisolv,
    "trmm": trmm,
}


@pytest.mark.parametrize("name", CHECKS)
def test_kernel_of_linear_algebra(name: str, run_kernel: Any) -> None:
    CHECKS[name](*run_kernel(name))
