"""Updates that overwrite what they read, with numbers that raise floating-point flags: values and
warnings are NumPy's, wherever such numbers are and whatever NumPy reports.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import fastnp
import numpy
import pytest

Errors: TypeAlias = Literal["ignore", "warn"]

SPECIAL = (numpy.nan, numpy.inf, -numpy.inf, 0.0)
# Rows shorter than a vector and about as long as a few, rows of several chunks, planes, one row.
SHAPES = ((30_000,), (17,), (300, 5), (90, 33), (200, 220), (3, 9_000), (5, 20, 40), (3, 4, 500))


def interior(update: Callable[..., None]) -> Callable[..., None]:
    """The update of all elements but the first ones along each axis."""
    return lambda np, a, b, c: update(np, *(x[(slice(1, None),) * x.ndim] for x in (a, b, c)))


def halves_of_differences(np: Any, a: Any, b: Any, c: Any) -> None:
    a[1:] -= 0.5 * (b[1:] - b[:-1])


def differences_along_rows(np: Any, a: Any, b: Any, c: Any) -> None:
    a[..., 1:] -= 0.7 * (b[..., 1:] - b[..., :-1] + c[..., :-1])


def products(np: Any, a: Any, b: Any, c: Any) -> None:
    a += b * c


def several(np: Any, a: Any, b: Any, c: Any) -> None:
    a *= b
    c -= a / b
    a += c


def roots(np: Any, a: Any, b: Any, c: Any) -> None:
    a /= np.sqrt(b) + 1.0
    a -= c


def strided(np: Any, a: Any, b: Any, c: Any) -> None:
    a[..., ::2] += b[..., ::2] * c[..., ::2]
    a[..., ::-1] -= b[..., ::-1] * 1e300


def into(np: Any, a: Any, b: Any, c: Any) -> None:
    np.multiply(a, b, out=a)
    np.add(a, c, out=a)
    np.square(a, out=a)


def smaller(np: Any, a: Any, b: Any, c: Any) -> None:
    # An infinite product is not in the result.
    a[...] = np.minimum(a * b, c) - b


def transposed(np: Any, a: Any, b: Any, c: Any) -> None:
    a.T[...] -= b.T * c.T


UPDATES = (
    halves_of_differences,
    differences_along_rows,
    products,
    several,
    roots,
    strided,
    into,
    smaller,
    transposed,
    interior(products),
    interior(differences_along_rows),
)


def arguments(shape: tuple[int, ...], dtype: str, share: int, seed: int) -> list[Any]:
    """Three of NumPy's arrays, of whose elements one in `share` is special."""
    random = numpy.random.default_rng(seed)
    arrays = []
    for _ in range(3):
        x = random.uniform(0.5, 3.0, shape).astype(dtype)
        huge = numpy.finfo(dtype).max
        special = numpy.array([*SPECIAL, huge, -huge], dtype)
        where = random.integers(0, share, shape) == 0
        x[where] = random.choice(special, int(where.sum()))
        arrays.append(x)
    return arrays


def outcome(
    np: Any, update: Callable[..., None], arrays: list[Any], errors: Errors | None
) -> tuple[list[Any], list[str]]:
    """What all arrays hold after the update, and the warnings."""
    of_it = [np.array(x) for x in arrays]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with np.errstate(**({"all": errors} if errors else {})):
            update(np, *of_it)
            done = [numpy.array(x) for x in of_it]
    # In what order fused operations warn is theirs to choose, and how often with one text.
    return done, sorted({str(warning.message) for warning in caught})


@pytest.mark.parametrize("errors", [None, "warn", "ignore"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_updates_warn_as_numpy_does(
    shape: tuple[int, ...], dtype: str, errors: Errors | None
) -> None:
    for seed, update in enumerate(UPDATES):
        for share in (1 << 40, 10_000, 100):
            arrays = arguments(shape, dtype, share, seed)
            expected, warned = outcome(numpy, update, arrays, errors)
            found, told = outcome(fastnp, update, arrays, errors)
            what = f"{update.__name__}, one in {share}"
            for x, y in zip(expected, found, strict=True):
                numpy.testing.assert_array_equal(x, y, what)
            assert warned == told, what
