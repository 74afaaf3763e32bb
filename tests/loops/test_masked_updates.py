"""Arrays that are updated under a mask by their own elements, in compiled loops."""

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


def powers(x: Any, y: Any) -> None:
    for _ in range(3):
        x[x > 0] = x[x > 0] ** (-1.5)


def quotients(x: Any, y: Any) -> None:
    for i in range(3):
        x[x != 0] = 1.0 / x[x != 0] - i


def of_several(x: Any, y: Any) -> None:
    for i in range(3):
        mask = y < 0.5
        x[mask] = -(x[mask] * y[mask]) + 2 * i


def of_what_is_harmless(x: Any, y: Any) -> None:
    for _ in range(3):
        x[y > 0] = 1.0 / (x[y > 0] - 0.75)


def of_other_masks(x: Any, y: Any) -> None:
    for _ in range(3):
        x[y > 0] = x[x > 0]


def of_numbers(x: Any, y: Any) -> None:
    for i in range(3):
        x[i] = x[i] * 2 + y[i]


FUNCTIONS = [powers, quotients, of_several, of_what_is_harmless, of_other_masks, of_numbers]


def outcome(run: Callable[..., None], np: Any, given: list[numpy.ndarray]) -> Any:
    copies = [np.array(array) for array in given]
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            run(*copies)
        except Exception as error:
            return type(error).__name__, str(error), numpy.asarray(copies[0]).tobytes()
    texts = [str(warning.message) for warning in warned]
    return numpy.asarray(copies[0]).tobytes(), texts


@pytest.mark.parametrize("np", [numpy, fastnp])
@pytest.mark.parametrize("kind", ["f8", "f4"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_same_as_interpreted(function: Callable[..., None], kind: str, np: Any) -> None:
    if function is powers and kind == "f4" and np is numpy:
        pytest.skip("NumPy's powers of floats in vectors have other bits than single ones")
    rng = numpy.random.default_rng(3)
    compiled = fastnp.jit(function)
    for shape in ((5,), (40,), (4, 7), (25, 25)):
        x, y = (rng.integers(-3, 5, shape) / 2 for _ in "xy")
        special = x.copy()
        special.flat[[0, 3]] = numpy.nan, numpy.inf
        for values in (x, numpy.abs(x) + 1, special):
            given = [values.astype(kind), y.astype(kind)]
            assert outcome(compiled, np, given) == outcome(function, np, given)


@pytest.mark.parametrize("function", [powers, quotients, of_several, of_what_is_harmless])
def test_compiled(function: Callable[..., None]) -> None:
    x = fastnp.array(numpy.arange(1.0, 31.0).reshape(5, 6))
    fastnp.jit(strict=True)(function)(x, x.copy() / 7)


def test_arrays_of_other_shapes() -> None:
    given = [numpy.arange(12.0), numpy.arange(13.0)]
    found = outcome(fastnp.jit(of_several), numpy, given)
    assert found == outcome(of_several, numpy, given)
    assert found[0] == "IndexError"
