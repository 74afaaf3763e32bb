"""Ufuncs called with one number give NumPy's values, types, warnings and errors, on the native path
and through NumPy.
"""

from __future__ import annotations

import warnings
from typing import Any

import fastnp
import numpy
import pytest

NAMES = [
    name
    for name in dir(numpy)
    if isinstance(ufunc := getattr(numpy, name), numpy.ufunc) and ufunc.nin == 1 and ufunc.nout == 1
]
FLOATS = [
    *(0.0, 0.5, 1.5, 2.5, 1.0, 4.0, 1e154, 1.4e154, 1e300, 1e-160, 1e-154, 5e-324, 2.3e-308),
    *(2.0**52 + 0.5, 2.0**53, float("inf"), float("nan"), 0.1),
]
INTEGERS = [0, 1, 2, 3, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**30]
NUMBERS: list[Any] = [
    *(sign * x for x in FLOATS for sign in (1, -1)),
    *(sign * x for x in INTEGERS for sign in (1, -1)),
    *(numpy.float64(sign * x) for x in FLOATS for sign in (1, -1)),
    *(
        numpy.float32(2.5),
        numpy.float16(-2.5),
        numpy.int64(-7),
        numpy.int8(-128),
        numpy.uint64(2**63),
    ),
    *(True, False, numpy.bool(True), 1 + 2j, numpy.complex128(-1), "text", None),
]


def answer(ufunc: Any, number: Any, state: Any) -> tuple[Any, ...]:
    """The result's type, representation and bits, with the warnings; or the error."""
    with numpy.errstate(all=state), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = ufunc(number)
        except Exception as error:
            # NumPy names its own type where there is no loop.
            return type(error), str(error).partition("\n")[0]
    texts = [(w.category, str(w.message), w.filename) for w in caught]
    bits = result.tobytes() if hasattr(result, "tobytes") else result
    return type(result), repr(result), bits, texts


@pytest.mark.parametrize("state", ["warn", "raise", "ignore"])
@pytest.mark.parametrize("name", NAMES)
def test_numbers_alone(name: str, state: str) -> None:
    for number in NUMBERS:
        wanted = answer(getattr(numpy, name), number, state)
        assert answer(getattr(fastnp, name), number, state) == wanted, (name, number)
