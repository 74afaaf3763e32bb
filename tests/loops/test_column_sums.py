"""Sums and extremes along axes of which the last one is none: in vectors along that one, the last
of which ends where the axis ends.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import fastnp
import numpy
import pytest
from fastnp import _fastnp

pytestmark = pytest.mark.skipif(
    not hasattr(_fastnp, "LoopProgram"), reason="this build has no code generator for loops"
)
# Of vectors of two and of four: less than one, whole numbers of them, and all that may be left.
WIDTHS = range(1, 23)


def convolved(np: Any, x: Any, w: Any, out: Any) -> None:
    for i in range(out.shape[1]):
        out[:, i, :] = np.sum(x[:, i : i + 3, :, np.newaxis] * w[np.newaxis], axis=(1, 2))


def of_first_axis(np: Any, x: Any, w: Any, out: Any) -> None:
    for i in range(out.shape[1]):
        out[0, i] += np.sum(w[i], axis=0) + (w[0] * 2.0).sum(axis=0, keepdims=True)[0]


def of_outer_axes(np: Any, x: Any, w: Any, out: Any) -> None:
    for i in range(out.shape[1]):
        out[0, i, :] = np.sum(w - 1.0, axis=(0, 1))


def greatest(np: Any, x: Any, w: Any, out: Any) -> None:
    for i in range(out.shape[1]):
        out[:, i, :] = np.max(w[:2, i % 3 :], axis=(0, 1)) - w[:, i].min()


def vector_products(np: Any, x: Any, w: Any, out: Any) -> None:
    for i in range(out.shape[1]):
        out[0, i] = x[0, i] @ w[i]


def accumulated(np: Any, x: Any, w: Any, out: Any) -> None:
    rows, factors, sums = w.reshape(12, -1), x.reshape(-1), out[1]
    for i in range(3):
        for k in range(12):
            sums[i, :] += factors[k] * rows[k, :]


FUNCTIONS = [accumulated, convolved, of_first_axis, of_outer_axes, greatest, vector_products]


def widths() -> Iterator[int | None]:
    """All widths, after each of several at which the loop is compiled, before which is `None`."""
    for first in (1, 3, 8, 22):
        yield from (None, first, *WIDTHS)


def given(width: int, kind: str) -> list[numpy.ndarray]:
    """Small multiples of a power of two, whose sums are exact in any order."""
    x = (numpy.arange(2 * 5 * 4) * 37 % 101 - 50).reshape(2, 5, 4) / 4
    w = (numpy.arange(3 * 4 * width) * 29 % 97 - 40).reshape(3, 4, width) / 8
    return [x.astype(kind), w.astype(kind), numpy.zeros((2, 3, width), kind)]


@pytest.mark.parametrize("np", [numpy, fastnp])
@pytest.mark.parametrize("kind", ["f8", "f4"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_each_width(function: Callable[..., None], kind: str, np: Any) -> None:
    for width in widths():
        if width is None:
            compiled = fastnp.jit(strict=True)(function)
            continue
        found = []
        for run in (compiled, function):
            arrays = [np.array(array) for array in given(width, kind)]
            run(np, *arrays)
            found.append(numpy.asarray(arrays[-1]))
        numpy.testing.assert_array_equal(found[0], found[1])


def complex_products(x: Any, w: Any, out: Any) -> None:
    for i in range(len(out)):
        out[i] = x @ w[i]
        out[i, 1] = w[i].T @ x[i]
        out[i - 1, 0] = x[i] @ w[i]


@pytest.mark.parametrize("np", [numpy, fastnp])
def test_products_of_complex_numbers(np: Any) -> None:
    for width in widths():
        if width is None:
            compiled = fastnp.jit(strict=True)(complex_products)
            continue
        found = []
        for run in (compiled, complex_products):
            x, w, _ = given(width, "f8")
            x, w = np.array(x[0, :3] - 2j * x[1, 1:4]), np.array(w * (1 - 3j))
            out = np.zeros((3, 3, width), complex)
            run(x, w, out)
            found.append(numpy.asarray(out))
        numpy.testing.assert_array_equal(found[0], found[1])


@pytest.mark.parametrize("at", [0, 3, 5, 6])
def test_what_overflows_warns_as_numpy_does(at: int) -> None:
    outcomes = []
    for run in (fastnp.jit(of_outer_axes), of_outer_axes):
        x, w, out = given(7, "f8")
        w[:, 1, at] = 1e308
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            run(numpy, x, w, out)
        outcomes.append((out.tolist(), [str(warning.message) for warning in warned]))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][1]
