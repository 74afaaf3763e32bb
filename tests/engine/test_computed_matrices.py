"""Products of vectors with matrices that are computed or cast: in the kernel that does it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

TALL, WIDE, LARGE = (700, 300), (300, 1000), (2200, 1000)

Program = Callable[[Any, Any, Any, Any], Any]

# What is computed of a matrix, a vector of its columns and one of its rows, and the shape.
FUSED: dict[str, tuple[Program, tuple[int, int]]] = {
    "scaled": (lambda np, a, x, z: 1.5 * a @ x, TALL),
    "scaled, long rows": (lambda np, a, x, z: a * 2 @ x, WIDE),
    "exponential": (lambda np, a, x, z: np.dot(np.exp(-a), x), TALL),
    "chosen": (lambda np, a, x, z: np.where(a > 1, a, 0.5) @ x, TALL),
    "two of one vector": (lambda np, a, x, z: 1.5 * a @ x + (a - 1) @ x, TALL),
    "then a map": (lambda np, a, x, z: np.tanh(a * 2 @ x - z), TALL),
    "transposed": (lambda np, a, x, z: x @ (a * 2).T, TALL),
    "of a matrix by columns": (lambda np, a, x, z: (a.T * 2).T @ x, TALL),
    "across large rows": (lambda np, a, x, z: z @ (a + 1), LARGE),
    "of a stack": (lambda np, a, x, z: a.reshape(10, 70, 300) * 2 @ x, TALL),
    "by a computed vector": (lambda np, a, x, z: (a + 1) @ (x - 1), TALL),
}
APART: dict[str, tuple[Program, tuple[int, int]]] = {
    "across rows": (lambda np, a, x, z: z @ (a + 1), TALL),
    "copied": (lambda np, a, x, z: a.copy() @ x, TALL),
    "in place": (lambda np, a, x, z: np.multiply(a, 2, out=a) @ x, TALL),
    "of a part": (lambda np, a, x, z: (a * 2)[1:] @ x, TALL),
    "of short rows": (lambda np, a, x, z: (a.reshape(-1, 10) * 2) @ x[:10], TALL),
    "of a product": (lambda np, a, x, z: (a @ a.T) @ z, TALL),
    "of a running sum": (lambda np, a, x, z: np.cumsum(a, axis=1) @ x, TALL),
    "in complex numbers": (lambda np, a, x, z: (a * 2j) @ x, TALL),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", [*FUSED, *APART])
def test_products(name: str, dtype: str) -> None:
    program, shape = {**FUSED, **APART}[name]
    rng = numpy.random.default_rng(7)
    matrix = rng.standard_normal(shape).astype(dtype)
    vectors = [rng.standard_normal(n).astype(dtype) for n in shape[::-1]]
    ours = [fastnp.array(array) for array in (matrix, *vectors)]
    fastnp.eval(*ours)
    product = program(fastnp, *ours)
    fastnp.eval(product)
    assert ("matrix product" in fastnp.explain()) == (name in APART), fastnp.explain()
    result = numpy.asarray(product)
    expected = program(numpy, matrix.astype(float), *(vector.astype(float) for vector in vectors))
    assert result.dtype == program(numpy, matrix, *vectors).dtype
    size = max(numpy.abs(expected).max(), 40)
    assert numpy.abs(result - expected).max() <= 40 * numpy.finfo(dtype).eps * size


def test_a_matrix_that_is_kept_is_read_by_the_next_product() -> None:
    def program(np: Any, a: Any, x: Any) -> Any:
        matrix = np.exp(-a)
        for _ in range(3):
            x = x / (matrix.T @ (1 / (matrix @ x)))
        return x

    rng = numpy.random.default_rng(8)
    a, x = rng.random(TALL), rng.random(TALL[1])
    ours = [fastnp.array(array) for array in (a, x)]
    fastnp.eval(*ours)
    found = program(fastnp, *ours)
    fastnp.eval(found)
    assert fastnp.explain().count("= matmul(") == 5
    numpy.testing.assert_allclose(numpy.asarray(found), program(numpy, a, x))


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize(
    "types", ["f4 f8", "i8 f8", "u1 f4", "? f8", "i2 f8", "u8 f8", "f2 f4", "f2 f8"]
)
def test_casts(types: str, across: bool) -> None:
    of_matrix, of_vector = types.split()
    rng = numpy.random.default_rng(9)
    matrix = rng.integers(0, 100, TALL).astype(of_matrix)
    vector = rng.standard_normal(TALL[not across]).astype(of_vector)
    ours = fastnp.array(matrix), fastnp.array(vector)
    fastnp.eval(*ours)
    product = ours[1] @ ours[0] if across else ours[0] @ ours[1]
    fastnp.eval(product)
    assert "last flush: 2 nodes" in fastnp.explain()
    assert "matrix product" not in fastnp.explain()
    expected = vector @ matrix if across else matrix @ vector
    assert product.dtype == expected.dtype
    size = numpy.abs(expected).max()
    error = numpy.abs(numpy.asarray(product) - expected).max()
    assert error <= 100 * numpy.finfo(expected.dtype).eps * size


def test_flags_are_those_of_the_product() -> None:
    matrix, vector = fastnp.full(TALL, 1e306), fastnp.full(TALL[1], 20.0)
    fastnp.eval(matrix, vector)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert numpy.isinf(numpy.asarray(matrix * 2.0 @ vector)).all()
    assert [str(w.message) for w in told] == ["overflow encountered in matmul"]
    with fastnp.errstate(over="raise"), pytest.raises(FloatingPointError, match="matmul"):
        fastnp.eval(matrix * 2.0 @ vector)
