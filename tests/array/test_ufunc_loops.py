"""Ufuncs without a version of ours, whose inner loops run on few elements of ours directly.

Values, types, errors and warnings are NumPy's whatever the operands' form, and each call counts as
a fallback once.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

UFUNCS = ("frexp", "modf", "ldexp", "spacing", "gcd", "nextafter")
VALUES = [0.0, -0.0, 1.5, -2.75, 1e300, 5e-324, numpy.inf, -numpy.inf, numpy.nan, 3.0]
FORMS: dict[str, Callable[[Any], Any]] = {
    "vector": lambda x: x,
    "matrix": lambda x: x.reshape(2, 5),
    "by columns": lambda x: x.reshape(2, 5).copy(order="F"),
    "gaps": lambda x: x[::2],
    "backwards": lambda x: x[::-1],
    "one": lambda x: x[2:3],
    "none": lambda x: x[:0],
    "no axes": lambda x: x[2:3].reshape(()),
    "many": lambda x: x.repeat(200),
}


def operands(np: Any, name: str, dtype: str) -> list[Any]:
    """Arguments of a ufunc."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = np.array(numpy.array(VALUES).astype(dtype))
    if name == "ldexp":
        return [first, np.arange(-3, 7)]
    if name in {"gcd", "nextafter"}:
        return [first, first[::-1].copy()]
    return [first]


def outcome(np: Any, name: str, dtype: str, form: Callable[[Any], Any]) -> list[Any]:
    """What a call returns or raises, and warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            results = getattr(np, name)(*(form(x) for x in operands(np, name, dtype)))
        except (TypeError, FloatingPointError) as error:
            return [type(error), str(error)]
    results = results if type(results) is tuple else (results,)
    found = [(numpy.asarray(x).tobytes(), x.dtype, x.shape) for x in results]
    kinds = [type(x) is np.ndarray for x in results]
    return [found, kinds, [(w.category, str(w.message)) for w in caught]]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "i4", "u1", "?", "c16"])
@pytest.mark.parametrize("name", UFUNCS)
def test_results_are_numpys(name: str, dtype: str, form: str) -> None:
    ours = outcome(fastnp, name, dtype, FORMS[form])
    assert ours == outcome(numpy, name, dtype, FORMS[form])


def test_flags_are_reported_as_by_numpy() -> None:
    def program(np: Any) -> list[Any]:
        found: list[Any] = []
        x, k = np.array([1.0, 1e308]), np.array([1, 5000])
        for over in ("ignore", "warn", "raise"):
            with np.errstate(over=over), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    found.append(np.ldexp(x, k).tolist())
                except FloatingPointError as error:
                    found.append(str(error))
                found += [str(warning.message) for warning in caught]
        return found

    assert program(fastnp) == program(numpy)


def test_pending_and_written_operands() -> None:
    def program(np: Any) -> list[Any]:
        a = np.linspace(0.1, 2, 700)
        b = a * 3 + 1
        fraction, whole = np.modf(b)
        b[::2] = 0
        return [fraction.tolist(), whole.tolist(), np.modf(b)[1].tolist()]

    assert program(fastnp) == program(numpy)


def test_calls_count_once() -> None:
    special = pytest.importorskip("scipy.special")
    a, k = fastnp.linspace(0.1, 2, 10), fastnp.arange(10)
    for run, times in ((lambda: fastnp.ldexp(a, k), 1), (lambda: special.erf(a), 3)):
        for _ in range(times):
            before = fastnp.stats()["fallbacks"]
            run()
            assert fastnp.stats()["fallbacks"] == before + 1


def test_foreign_ufuncs_in_every_call() -> None:
    special = pytest.importorskip("scipy.special")
    x = numpy.linspace(0.1, 2, 10)
    a = fastnp.array(x)
    for _ in range(3):
        for form in ("vector", "matrix", "by columns", "gaps", "none", "no axes"):
            ours, theirs = special.erf(FORMS[form](a)), special.erf(FORMS[form](x))
            assert numpy.asarray(ours).tolist() == theirs.tolist()
            assert type(ours) is (fastnp.ndarray if theirs.ndim else numpy.float64)
        assert special.jv(1, a).tolist() == special.jv(1, x).tolist()
        assert special.jv(a, x).tolist() == special.jv(x, x).tolist()
        assert type(special.jv(x, a)) is fastnp.ndarray
        out = fastnp.empty(10)
        assert special.erf(a, out) is out
        assert out.tolist() == special.erf(x).tolist()
        assert special.erf(a, out=out) is out
        plain = numpy.empty(10)
        assert special.erf(a, plain) is plain
        assert type(special.erf(x)) is numpy.ndarray
        assert special.erf(0.5) == special.erf(numpy.float64(0.5))
        with pytest.raises(TypeError):
            special.erf(a, 1, 2, 3)
        with pytest.raises(TypeError):
            special.erf()


def test_an_operand_that_overrides_the_ufunc() -> None:
    special = pytest.importorskip("scipy.special")

    class Taking:
        """Takes every ufunc."""

        def __array_ufunc__(self, *args: Any, **kwargs: Any) -> str:
            return "taken"

    a = fastnp.ones(4)
    for _ in range(2):
        special.jv(a, a)
        assert special.jv(a, Taking()) == "taken"
        assert special.jv(Taking(), a) == "taken"
