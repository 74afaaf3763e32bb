"""Loops whose turns read what the turns before have stored, and loops that ask in each turn what
can only be so in all of them.
"""

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


def filtered(x: Any, y: Any) -> None:
    for i in range(1, len(y)):
        y[i] = 0.5 * y[i - 1] + x[i]


def around(x: Any, y: Any) -> None:
    for i in range(len(y)):
        y[i] = 0.25 * y[i - 1] + x[i]  # first the last element, at -1


def backwards(x: Any, y: Any) -> None:
    for i in range(len(y) - 2, -1, -1):
        y[i] = x[i] - y[i + 1] / 3.0


def twice(x: Any, y: Any) -> None:
    for i in range(1, len(y)):
        y[i] += y[i - 1]
        y[i] /= 9.0
        x[i] = x[i - 1] * 0.5 + y[i]


def strides(x: Any, y: Any) -> None:
    for i in range(3, len(y), 3):
        y[i] = y[i - 3] + x[i]
        y[i - 1] = y[i - 2] - 1.0


def overlapping(x: Any, y: Any) -> None:
    z = y[1:]
    for i in range(1, len(z)):
        y[i] = y[i - 1] * 0.5 + 1.0
        z[i] = z[i - 1] * 0.25 + x[i]


def rarely(x: Any, y: Any) -> None:
    for i in range(1, len(y)):
        y[i] = y[i - 1] + x[i]
        if x[i] > 0.9:
            y[i] = 0.0


def total(x: Any, y: Any) -> None:
    for i in range(len(x)):
        y[3] += x[i]
        y[4] = max(y[4], x[i] * y[3])


VECTORS = [filtered, around, backwards, twice, strides, overlapping, rarely, total]


def compiled_and_plain(
    function: Callable[..., None], arrays: list[numpy.ndarray], np: Any
) -> list[tuple[list[numpy.ndarray], str, list[str]]]:
    """The arrays afterwards, what was raised, and the warnings."""
    found = []
    for run in (fastnp.jit(function), function):
        copies = [np.array(array) for array in arrays]
        raised = ""
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                run(*copies)
            except Exception as error:
                raised = f"{type(error).__name__}: {error}"
        texts = [str(warning.message) for warning in warned]
        found.append(([numpy.asarray(copy) for copy in copies], raised, texts))
    return found


def check(function: Callable[..., None], arrays: list[numpy.ndarray]) -> str:
    """What was raised, by compiled code and otherwise, with the same bits in the arrays."""
    for np in (numpy, fastnp):
        ours, plain = compiled_and_plain(function, arrays, np)
        assert ours[1:] == plain[1:]
        for one, other in zip(ours[0], plain[0], strict=True):
            assert bits(one) == bits(other)
    return plain[1]


def bits(array: numpy.ndarray) -> bytes:
    """Those of the elements; all NaN are one, as which one an operation gives is not said."""
    return numpy.where(array != array, numpy.nan, array).astype(array.dtype).tobytes()


@pytest.mark.parametrize("function", VECTORS)
@pytest.mark.parametrize("kind", ["f8", "f4"])
def test_vectors(function: Callable[..., None], kind: str) -> None:
    rng = numpy.random.default_rng(7)
    assert check(function, [rng.random(41).astype(kind), rng.random(41).astype(kind)]) == ""


@pytest.mark.parametrize("function", VECTORS)
def test_infinities(function: Callable[..., None]) -> None:
    x, y = numpy.ones(30), numpy.linspace(0, 1, 30)
    x[[4, 9, 10]] = numpy.inf, -numpy.inf, numpy.nan
    y[[5, 17]] = 1e308, -numpy.inf
    check(function, [x, y])


def fibonacci(x: Any) -> None:
    for i in range(1, len(x)):
        x[i] += x[i - 1]


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "i4", "u4", "i8"])
def test_integers(kind: str) -> None:
    # The narrow ones wrap, with a warning each time: left there, and entered again.
    check(fibonacci, [(numpy.arange(60) * 7 % 50).astype(kind)])


def columns(A: Any) -> None:
    n, m = A.shape
    for j in range(m):
        for i in range(1, n):
            A[i, j] = A[i - 1, j] * 0.5 + A[i, j]


def products(A: Any, B: Any, C: Any) -> None:
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            for k in range(B.shape[0]):
                C[i, j] += A[i, k] * B[k, j]


def common(s: Any, t: Any, L: Any) -> None:
    for i in range(1, len(s) + 1):
        for j in range(1, len(t) + 1):
            if s[i - 1] == t[j - 1]:
                L[i, j] = L[i - 1, j - 1] + 1
            else:
                L[i, j] = max(L[i - 1, j], L[i, j - 1])


def test_matrices() -> None:
    rng = numpy.random.default_rng(8)
    A = rng.random((12, 15))
    assert check(columns, [A]) == check(columns, [A.T.copy().T]) == ""
    assert check(products, [A, rng.random((15, 9)), numpy.zeros((12, 9))]) == ""
    s, t = rng.integers(0, 3, 20), rng.integers(0, 3, 25)
    assert check(common, [s, t, numpy.zeros((21, 26), dtype=int)]) == ""


def test_indices_out_of_range() -> None:
    rng = numpy.random.default_rng(9)
    # In the first turn of the innermost loop, in a later one, and only in a later row.
    for shapes in [
        ((3, 15), (15, 9)),
        ((12, 14), (15, 9)),
        ((7, 15), (15, 9)),
        ((12, 15), (15, 4)),
    ]:
        A, B = (rng.random(shape) for shape in shapes)
        assert check(products, [A, B, numpy.zeros((12, 9))]).startswith("IndexError: index ")
    s = rng.integers(0, 3, 20)
    assert check(common, [s, s, numpy.zeros((15, 21), dtype=int)]).startswith("IndexError")


def many(y: Any) -> None:
    for i in range(1_200_000):
        y[1] = y[1] * 0.5 + i


def test_what_a_poll_interrupts() -> None:
    # The host is asked after a million turns.
    assert check(many, [numpy.zeros(3)]) == ""
