"""`ldexp`: NumPy's bits and warnings for every type, and its errors."""

from __future__ import annotations

import warnings
from typing import Any

import fastnp
import numpy
import pytest

from tests.compare import assert_same

FLOATS = "e f d".split()
INTEGERS = "? b B h H i I l L q Q".split()


def outcome(np: Any, x: Any, exponent: Any, **named: Any) -> Any:
    """The result, or the error, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = np.ldexp(x, exponent, **named)
            end: Any = result.dtype.char, numpy.asarray(result).tobytes(), numpy.shape(result)
        except Exception as error:
            end = type(error), str(error)
    return end, [(w.category, str(w.message)) for w in caught]


def samples(dtype: str) -> numpy.ndarray:
    """Ordinary, extreme, subnormal and special numbers."""
    numbers = numpy.finfo(dtype)
    special = [0.0, -0.0, numpy.nan, numpy.inf, -numpy.inf, 1.0, -3.7, numbers.max, numbers.tiny]
    special += [numbers.smallest_subnormal, -numbers.smallest_subnormal, numbers.tiny * 0.75]
    drawn = numpy.random.default_rng(3).uniform(-2, 2, 40)
    return numpy.array([*special, *drawn, *(drawn * float(numbers.tiny))]).astype(dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_every_exponent(dtype: str) -> None:
    """From where all numbers vanish to where all overflow, through the subnormal ones: the bits,
    and the warnings, of each.
    """
    x = samples(dtype)
    digits, bias = numpy.finfo(dtype).nmant, int(numpy.finfo(dtype).maxexp)
    last = 2 * bias + digits + 4
    for exponent in [*range(-last, last, 7), 2**31 - 1, -(2**31)]:
        ours = outcome(fastnp, fastnp.array(x), exponent)
        assert ours == outcome(numpy, x, exponent), exponent
    both = numpy.arange(-last, last)[:, None]
    assert outcome(fastnp, fastnp.array(x), fastnp.array(both)) == outcome(numpy, x, both)


@pytest.mark.parametrize("kind", INTEGERS)
def test_types(kind: str) -> None:
    """Every type of number and exponent, one of which has no loop."""
    exponents = numpy.array([0, 1, 3, 5, 100]).astype(kind)
    for dtype in [*FLOATS, *INTEGERS, "F"]:
        x = numpy.array([1, 0, 3, 2, 1]).astype(dtype)
        ours = outcome(fastnp, fastnp.array(x), fastnp.array(exponents))
        assert ours == outcome(numpy, x, exponents), dtype
        for exponent in (exponents[2], exponents[:1], 2, True, 2.0, 2**40):
            ours = outcome(fastnp, fastnp.array(x), exponent)
            assert ours == outcome(numpy, x, exponent), (dtype, exponent)
        assert outcome(fastnp, x, fastnp.array(exponents)) == outcome(numpy, x, exponents)


def test_layouts_and_sizes() -> None:
    draw = numpy.random.default_rng(4)
    for shape in [(), (0,), (1,), (7,), (40, 3), (3, 1, 5), (20_000,)]:
        x, exponents = draw.normal(size=shape), draw.integers(-40, 40, shape)
        assert_same(
            fastnp.ldexp(fastnp.array(x), fastnp.array(exponents)), numpy.ldexp(x, exponents)
        )
        ours = fastnp.ldexp(fastnp.array(x).T, fastnp.array(exponents.astype("i2")).T)
        assert_same(ours, numpy.ldexp(x.T, exponents.astype("i2").T))
    x, exponents = draw.normal(size=(6, 8)), draw.integers(-9, 9, 4)
    ours = fastnp.ldexp(fastnp.array(x)[::2, ::-2], fastnp.array(exponents))
    assert_same(ours, numpy.ldexp(x[::2, ::-2], exponents))


def test_other_arguments() -> None:
    """`out`, `where` and the rest are NumPy's."""
    x, exponents = numpy.linspace(-1, 1, 30), numpy.arange(30)
    for named in ({"where": x > 0, "out": numpy.zeros(30)}, {"dtype": "f"}, {"casting": "no"}):
        ours = {k: fastnp.array(v) if isinstance(v, numpy.ndarray) else v for k, v in named.items()}
        found = outcome(fastnp, fastnp.array(x), fastnp.array(exponents), **ours)
        assert found == outcome(numpy, x, exponents, **named), named
    out = fastnp.empty(30)
    assert fastnp.ldexp(fastnp.array(x), 3, out=out) is out
    assert_same(out, numpy.ldexp(x, 3))


def test_fuses() -> None:
    """It is recorded, and one kernel with what stands around it."""
    x, exponents = fastnp.ones(50_000), fastnp.arange(50_000) % 7
    fastnp.eval(x, exponents)
    result = fastnp.ldexp(x * 3, exponents) + 1
    assert str(fastnp.explain(result)).count("\nkernel ") == 1
    wanted = numpy.ldexp(numpy.ones(50_000) * 3, numpy.arange(50_000) % 7) + 1
    assert_same(result, wanted)
