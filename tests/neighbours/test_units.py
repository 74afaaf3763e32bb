"""Quantities with units: pint's and astropy's, which know NumPy's functions by identity or name."""

from __future__ import annotations

from typing import Any

import fastnp
import numpy
import pytest

CALLS = """
    np.add(q, q)
    np.sqrt(q)
    np.sum(q)
    np.mean(q)
    np.matmul(q, q)
    np.cross(q, q)
    np.cross(q, x)
    np.trapezoid(q, q)
    np.dot(q, x)
    np.concatenate([q, q])
    np.where(x > 1, q, q)
    np.diff(q)
    np.max(q)
    np.linalg.norm(q)
    np.multiply(x, q)
    np.multiply(q, x)
    x * q
    q * x
    x / q
    q / x
    -q + q
    (q > q).any()
    np.std(q)
    np.cumsum(q)
    np.clip(q, q.min(), q.max())
    np.interp(q, q, x)
    np.reshape(q, (3, 1))
"""


def same(ours: Any, theirs: Any) -> None:
    """The same value in the same unit."""
    unit = getattr(theirs, "units", None) or getattr(theirs, "unit", None)
    found = getattr(ours, "units", None) or getattr(ours, "unit", None)
    assert str(found) == str(unit)
    plain = [getattr(x, "magnitude", getattr(x, "value", x)) for x in (ours, theirs)]
    numpy.testing.assert_allclose(numpy.asarray(plain[0]), numpy.asarray(plain[1]), rtol=1e-14)


def quantities(package: str) -> Any:
    """A quantity of three metres."""
    if package == "pint":
        return [1.0, 2.5, 3.0] * pytest.importorskip("pint").UnitRegistry().meter
    return [1.0, 2.5, 3.0] * pytest.importorskip("astropy.units").m


def test_lists_of_quantities_and_like() -> None:
    q = quantities("astropy")
    for np in (numpy, fastnp):
        chosen = np.choose(np.array([0, 1, 0]), [q, q * 2])
        assert type(chosen) is type(q) and chosen.value.tolist() == [1.0, 5.0, 3.0]
        made = np.fromfunction(lambda i: i * 2, (3,), like=q)
        assert type(made) is type(q) and made.value.tolist() == [0.0, 2.0, 4.0]


@pytest.mark.parametrize("package", ["pint", "astropy"])
@pytest.mark.parametrize("call", [line.strip() for line in CALLS.strip().splitlines()])
def test_calls_agree(package: str, call: str) -> None:
    q = quantities(package)
    theirs = eval(call, {"np": numpy, "q": q, "x": numpy.array([0.5, 1.5, 2.5])})
    ours = eval(call, {"np": fastnp, "q": q, "x": fastnp.array([0.5, 1.5, 2.5])})
    same(ours, theirs)


def test_a_unit_in_place() -> None:
    units = pytest.importorskip("astropy.units")
    x: Any = fastnp.arange(3.0)
    x <<= units.m
    assert type(x) is units.Quantity and x.unit == units.m
    y = fastnp.ones(3)
    y *= [1.0, 2.0, 3.0] * units.dimensionless_unscaled
    assert type(y) is fastnp.ndarray and y.tolist() == [1.0, 2.0, 3.0]
