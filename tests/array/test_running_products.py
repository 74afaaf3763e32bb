"""Products of floats whose partial results overflow or underflow: from the first factor on, as
NumPy computes them, whatever lanes the kernels multiply in.
"""

from __future__ import annotations

import warnings
from typing import Any

import fastnp
import numpy
import pytest

FACTORS = {
    "zero first": (0.0, 1e200),
    "in turns": (1e200, 1e-200),
    "infinity late": (2.0, 1e300, numpy.inf, 0.0),
    "nan": (1e300, numpy.nan),
    "small": (1e-100, 3.0),
    "no overflow": (1.01, 0.99),
}
SHAPES = [(9,), (40,), (1000,), (70_000,), (3, 40), (40, 3), (5, 17, 9)]


def factors(name: str, shape: tuple[int, ...], dtype: str) -> Any:
    """Those of a name, one after the other from the first one on, and ones between them."""
    values = numpy.ones(int(numpy.prod(shape)))
    given = FACTORS[name]
    values[: 5 * len(given)][:] = (given * 5)[: len(values)]
    exponent = 0.1 if dtype in ("f4", "c8") else 1.0
    return (values**exponent).reshape(shape).astype(dtype)


def outcome(np: Any, x: Any, axis: Any, errors: Any) -> Any:
    """The product as text, to ten digits, and the warnings; or the error."""
    with warnings.catch_warnings(record=True) as caught, numpy.errstate(all=errors):
        warnings.simplefilter("always")
        try:
            found = numpy.asarray(np.prod(np.array(x), axis=axis)).ravel()
        except FloatingPointError as error:
            return str(error)
    digits = 5 if x.dtype in ("f4", "c8") else 10
    texts = [f"{value + 0.0:.{digits}g}" for value in found.view(x.real.dtype)]
    return texts, sorted(str(warning.message) for warning in caught)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", FACTORS)
def test_order_of_factors(name: str, shape: tuple[int, ...], dtype: str) -> None:
    x = factors(name, shape, dtype)
    for axis in (None, *range(len(shape))):
        for errors in ("warn", "ignore"):
            for view in (x, x[::-1], x.T):
                where = axis if axis is None or view is not x.T else len(shape) - 1 - axis
                expected = outcome(numpy, view, where, errors)
                assert outcome(fastnp, view, where, errors) == expected, (axis, errors)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_complex_factors(dtype: str) -> None:
    x = factors("zero first", (40,), dtype)
    assert outcome(fastnp, x, None, "warn") == outcome(numpy, x, None, "warn")


def test_an_overflow_is_raised_where_numpy_raises_it() -> None:
    x = numpy.where(numpy.arange(40) < 5, 1e200, 1.0)
    assert outcome(fastnp, x, None, "raise") == outcome(numpy, x, None, "raise")
    assert outcome(fastnp, x[:0], None, "raise") == outcome(numpy, x[:0], None, "raise")


def test_other_flags_stay() -> None:
    """Those of what was pending before are reported, those of the first attempt are not."""
    x, small = fastnp.array([1e300, 2.0]), fastnp.array(factors("zero first", (40,), "f8"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        y = x * 1e10
        assert small.prod() == 0.0
        assert y[0] == numpy.inf
    assert [str(warning.message) for warning in caught] == ["overflow encountered in multiply"]
