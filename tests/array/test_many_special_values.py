"""Many special arguments: NaN, infinities, zeros, numbers outside of a domain. Values and warnings
are NumPy's, however often a kernel runs and whatever NumPy was told to do about floating-point
errors.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, TypeAlias

import fastnp
import numpy
import pytest

Errors: TypeAlias = Literal["ignore", "warn", "raise"]

UNARY = (
    "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan "
    "sinh cosh tanh arcsinh arccosh arctanh cbrt sqrt"
).split()
BINARY = "arctan2 hypot power logaddexp logaddexp2".split()
# Special arguments of one function each: those that raise the same flags are apart.
SPECIAL = (numpy.nan, numpy.inf, -numpy.inf, 0.0, -0.0, -1.5, 1.0, 800.0, -800.0, 1e30)
# Elements: several chunks for each of two threads.
POINTS = 20_000
# Runs of a kernel: the first ones meet the special arguments, others know of them.
RUNS = 3
TOLERANCE = {"float64": 1e-14, "float32": 4e-6}


def arguments(dtype: str, special: float, share: int) -> list[Any]:
    """NumPy's arrays of arguments, of the first one in `share` special."""
    random = numpy.random.default_rng(0)
    x, y = random.uniform(0.1, 0.9, POINTS), random.uniform(-3, 3, POINTS)
    x[random.integers(0, share, POINTS) == 0] = special
    y[random.integers(0, 100, POINTS) == 0] = 2.0
    return [x.astype(dtype), y.astype(dtype)]


def outcome(f: Callable[[], Any], errors: Errors) -> tuple[Any, list[str]]:
    """What is computed, and what was warned of; or the error."""
    state = numpy.errstate(over=errors, divide=errors, invalid=errors)
    with warnings.catch_warnings(record=True) as caught, state:
        warnings.simplefilter("always")
        try:
            value = numpy.asarray(f())
        except FloatingPointError as error:
            return str(error), []
    return value, sorted(str(warning.message) for warning in caught)


WAYS: tuple[tuple[int, Errors], ...] = (
    (50, "warn"),
    (2, "warn"),
    (50, "ignore"),
    (50, "raise"),
)


def check(name: str, dtype: str, of: Callable[[Any, list[Any]], Any], special: float) -> None:
    """Compares runs of a kernel under both modules."""
    for share, errors in WAYS:
        args = arguments(dtype, special, share)
        ours = [fastnp.asarray(arg) for arg in args]
        expected, warned = outcome(partial(of, numpy, args), errors)
        for _ in range(RUNS):
            found, ours_warned = outcome(partial(of, fastnp, ours), errors)
            what = f"{name}, {special}, {dtype}, one in {share}, {errors}"
            assert ours_warned == warned, what
            if isinstance(expected, str):
                assert found == expected, what
                continue
            assert not isinstance(found, str), what
            assert found.dtype == expected.dtype, what
            # A sum may cancel to less than what its terms are rounded to.
            unit = float(numpy.finfo(dtype).eps)
            numpy.testing.assert_allclose(
                found, expected, rtol=TOLERANCE[dtype], atol=unit, err_msg=what
            )
            zeros = expected == 0
            assert (numpy.signbit(found) == numpy.signbit(expected))[zeros].all(), what


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_argument(name: str, dtype: str) -> None:
    """The function itself."""
    for special in SPECIAL:
        check(name, dtype, lambda np, args: getattr(np, name)(args[0]), special)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_arguments(name: str, dtype: str) -> None:
    """The function itself, the special argument either of them."""
    for special in SPECIAL:
        check(name, dtype, lambda np, args: getattr(np, name)(*args), special)
        check(name, dtype, lambda np, args: getattr(np, name)(*args[::-1]), special)


@pytest.mark.parametrize("name", UNARY)
def test_in_a_larger_kernel(name: str) -> None:
    """With operations around it, and in a reduction along rows."""
    for special in (numpy.nan, 0.0, -1.5, -800.0):
        check(
            name,
            "float64",
            lambda np, args: np.where(args[1] > 0, getattr(np, name)(args[0]), args[1]) + 0.5,
            special,
        )
        check(
            name,
            "float64",
            lambda np, args: np.nanmax(getattr(np, name)(args[0]).reshape(-1, 500), axis=1),
            special,
        )
