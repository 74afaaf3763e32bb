"""Products of vectors that lie densely, in compiled loops: of many elements by a function."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest
from fastnp import _fastnp

pytestmark = pytest.mark.skipif(
    not hasattr(_fastnp, "LoopProgram"), reason="this build has no code generator for loops"
)
N = 130


def prefixes(np: Any, A: Any, x: Any, y: Any) -> None:
    for i in range(len(x)):
        y[i] = A[i, :i] @ x[:i] - np.dot(x[i:], A[i, i:])


def rows(np: Any, A: Any, x: Any, y: Any) -> None:
    for i in range(1, len(x)):
        y[:i] = A[:i, :i] @ x[:i]
        y[i] += A[i] @ A[i - 1]


def others(np: Any, A: Any, x: Any, y: Any) -> None:
    for i in range(1, len(x)):
        y[i] = A[:, i] @ x + x[::-1] @ A[i] + (x * 2) @ x + x[::2] @ A[i, ::2]


def backwards(np: Any, A: Any, x: Any, y: Any) -> None:
    for i in range(1, len(x)):
        y[i] = x[:i][::-1] @ A[i, :i] - np.dot(A[i, i:], x[i:][::-1])
        y[i] += x[:i][::-1] @ A[i, :i][::-1] + (A[:i, :i] @ x[:i][::-1])[0]
        A[i, :] = A[i] + A[i, ::-1] * 0.5


def substitution(np: Any, A: Any, x: Any, y: Any) -> None:
    for i in range(len(x)):
        x[i] = (y[i] - A[i, :i] @ x[:i]) / 2.0


def given(exact: bool) -> list[numpy.ndarray]:
    """A matrix and two vectors: of small multiples of a power of two, whose sums are exact in any
    order, or of numbers that round.
    """
    whole = numpy.arange(N * N) * 37 % 101 - 50
    matrix = (whole / 4 if exact else whole / 700).reshape(N, N)
    return [matrix, matrix[3].copy(), matrix[5].copy()]


def compiled_and_plain(
    function: Callable[..., None], arrays: list[numpy.ndarray], np: Any = numpy
) -> list[list[Any]]:
    found = []
    for run in (fastnp.jit(strict=True)(function), function):
        copies = [np.array(array) for array in arrays]
        run(np, *copies)
        found.append([numpy.asarray(copy) for copy in copies])
    return found


@pytest.mark.parametrize("np", [numpy, fastnp])
@pytest.mark.parametrize("function", [prefixes, rows, others, backwards])
def test_exact_sums(function: Callable[..., None], np: Any) -> None:
    compiled, plain = compiled_and_plain(function, given(True), np)
    for one, other in zip(compiled, plain, strict=True):
        numpy.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("function", [prefixes, rows, others, backwards, substitution])
def test_sums_that_round(function: Callable[..., None]) -> None:
    compiled, plain = compiled_and_plain(function, given(False))
    for one, other in zip(compiled, plain, strict=True):
        numpy.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("value", [numpy.nan, numpy.inf, 1e200])
def test_what_is_not_finite_warns_as_numpy_does(value: float) -> None:
    outcomes = []
    for run in (fastnp.jit(prefixes), prefixes):
        A, x, y = given(True)
        A[90, 7] = x[7] = value
        x[100] = -numpy.inf
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run(numpy, A, x, y)
        outcomes.append((y.tolist(), sorted({str(one.message) for one in caught})))
    numpy.testing.assert_array_equal(outcomes[0][0], outcomes[1][0])
    assert outcomes[0][1] == outcomes[1][1]
