"""NEP 50: what arrays, NumPy's scalars and Python's numbers give together, and what casts give.

Types of arrays alone are in `test_result_types.py`; here are values beside them: numbers too
large for a type, and
conversions that have no right answer.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import fastnp
import numpy
import pytest

CODES = "?bBhHiIlLefdFD"
BINARY = sorted(
    name
    for name in dir(numpy)
    if isinstance(function := getattr(numpy, name), numpy.ufunc)
    and not function.signature
    and function.nin == 2
    and function.__name__ == name
)
NUMBERS: list[Any] = [
    True,
    0,
    1,
    -1,
    127,
    128,
    255,
    256,
    -129,
    2**31,
    2**63,
    -(2**63),
    2**64,
    2**70,
]
NUMBERS += [0.5, 1e10, 1e39, 1e300, numpy.inf, numpy.nan, 1j, complex(1e39, 1)]


def made(np: Any, code: str, form: str) -> Any:
    """Three (one, where there are no axes) as an array of a type, or NumPy's scalar."""
    if form == "array":
        return np.array(numpy.full(3, 1, code))
    if form == "0-d":
        return np.array(numpy.array(1, code))
    return numpy.dtype(code).type(1)


# Functions whose last bit depends on the library; complex functions whose flag for nan depends on
# the compiler.
INEXACT = {"arctan2"}
NAN_FLAGS = {"divide", "less", "less_equal", "greater", "greater_equal"}


def outcome(call: Callable[[], Any], exact: bool = True) -> list[Any]:
    """The type, kind and warnings of a call's result, or its error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = call()
        except (TypeError, OverflowError, ValueError, ZeroDivisionError) as error:
            return [type(error).__name__, str(error).replace("fastnp", "numpy")]
        results = result if isinstance(result, tuple) else (result,)
        kinds = [
            (
                str(r.dtype),
                isinstance(r, numpy.generic),
                str(numpy.asarray(r).tolist()) if exact else "",
            )
            for r in results
        ]
    return [kinds, sorted(str(w.message) for w in caught)]


def differences(calls: Sequence[Callable[..., Any]], words: list[str]) -> list[str]:
    found = []
    for call, word in zip(calls, words):
        exact = word.partition("(")[0] not in INEXACT
        ours, theirs = (outcome(lambda: call(np), exact) for np in (fastnp, numpy))  # noqa: B023
        if ours != theirs:
            found.append(f"{word}: {ours} instead of {theirs}")
    return found


def check(found: list[str]) -> None:
    assert not found, "\n".join([f"{len(found)} differ", *found[:10]])


@pytest.mark.parametrize("name", BINARY)
def test_forms_of_operands(name: str) -> None:
    calls, words = [], []
    for x, y in itertools.product(CODES, CODES):
        for forms in [
            ("array", "0-d"),
            ("0-d", "array"),
            ("array", "scalar"),
            ("scalar", "array"),
            ("0-d", "0-d"),
        ]:
            calls.append(
                lambda np, x=x, y=y, f=forms: getattr(np, name)(
                    made(np, x, f[0]), made(np, y, f[1])
                )
            )
            words.append(f"{name}({forms[0]} {x}, {forms[1]} {y})")
    check(differences(calls, words))


@pytest.mark.parametrize("name", BINARY)
def test_pythons_numbers(name: str) -> None:
    if name in ("power", "float_power", "ldexp", "logaddexp", "logaddexp2", "arctan2", "hypot"):
        numbers = [n for n in NUMBERS if n == n and abs(n) < 3]
    else:
        numbers = NUMBERS
    calls, words = [], []
    for code, number in itertools.product(CODES, numbers):
        if name in NAN_FLAGS and code in "FD" and number != number:
            continue
        if name == "power" and code in "FD" and number == -1:
            continue  # a reciprocal, as for `**`: the sign of a zero differs
        for form in ("array", "0-d"):
            calls.append(lambda np, c=code, n=number, f=form: getattr(np, name)(made(np, c, f), n))
            words.append(f"{name}({form} {code}, {number!r})")
            calls.append(lambda np, c=code, n=number, f=form: getattr(np, name)(n, made(np, c, f)))
            words.append(f"{name}({number!r}, {form} {code})")
    check(differences(calls, words))


def awkward(code: str) -> numpy.ndarray:
    """Numbers that other types do not hold."""
    dtype = numpy.dtype(code)
    if dtype.kind in "iu":
        info = numpy.iinfo(dtype)
        return numpy.array([info.min, info.max, 0, 1, info.max // 2, info.max - 1], dtype)
    if dtype.kind == "b":
        return numpy.array([True, False])
    reals = [0.0, -0.0, 0.5, -0.5, 1.5, -1.0, 127.0, 128.0, -129.0, 255.5, 256.0, 65504.0, -70000.0]
    reals += [2.0**31, -(2.0**31) - 1, 2.0**32, 2.0**53, 2.0**62, -(2.0**62)]
    reals += [
        2.0**63,
        -(2.0**63),
        2.0**64,
        1e30,
        -1e30,
        1e300,
        1e-300,
        numpy.inf,
        -numpy.inf,
        numpy.nan,
    ]
    with numpy.errstate(all="ignore"):
        return numpy.array(reals, "D" if dtype.kind == "c" else "d").astype(dtype)


@pytest.mark.parametrize("tiny", [1024, 0])
@pytest.mark.parametrize("n", [1, 3, 40, 2000])
@pytest.mark.parametrize("code", CODES)
def test_casts_give_numpys_bits_and_warnings(code: str, n: int, tiny: int) -> None:
    found = []
    for target, value in itertools.product(CODES, awkward(code)):
        if target == "I" and code in "fd" and n > 3 and not 0 <= value < 2**32:
            continue  # NumPy's vector code and its scalar code give different bits
        with fastnp.settings(tiny=tiny):
            seen = []
            for np in (fastnp, numpy):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    result = numpy.array(np.array(numpy.full(n, value)).astype(target))
                texts = [
                    str(w.message) for w in caught if "ComplexWarning" not in w.category.__name__
                ]
                seen.append((result.tobytes(), result.dtype, sorted(texts)))
        # A NaN may keep its payload.
        nan = result.dtype.kind in "fc" and bool(numpy.isnan(result).any())
        if seen[0][nan:] != seen[1][nan:]:
            ours, theirs = ((bits[:8], texts) for bits, _, texts in seen)
            found.append(f"{value!r} {code} to {target}: {ours} instead of {theirs}")
    check(found)


@pytest.mark.parametrize("code", "bBhHiIlL")
def test_negative_numbers_into_unsigned_types(code: str) -> None:
    def program(np: Any) -> list[Any]:
        target = np.zeros(4, code)
        seen: list[Any] = []
        for value in (-1, -129, 2**40, 300, 1.5, numpy.int8(-1), numpy.float64(-1.0)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    target[1] = value
                    seen.append(numpy.asarray(target).tolist())
                except OverflowError as error:
                    seen.append(str(error))
            seen.append([str(w.message) for w in caught])
        return seen

    assert program(fastnp) == program(numpy)
