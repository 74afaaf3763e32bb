"""Arithmetic that is NumPy's bit for bit, and special values that are NumPy's in sign and class."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

from tests.compare import UFUNCS

INTEGERS = "bBhHiIlL"
FLOATS = "efd"
COMPLEX = "FD"
SIZES = [1, 2, 3, 7, 17, 64, 1023, 3001]

# In NumPy the sign of a zero result depends on the positions of the zeros in the array.
ANY_ZERO = {"maximum", "minimum", "fmax", "fmin"}

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, name)
    for name in "add sub mul truediv floordiv mod eq ne lt le gt ge".split()
}
BITWISE = {name: getattr(operator, name) for name in "and_ or_ xor lshift rshift".split()}


def random_bits(code: str, n: int, seed: int) -> numpy.ndarray:
    """Numbers of any bits, NaN and infinities among them."""
    dtype = numpy.dtype(code)
    rng = numpy.random.default_rng([seed, ord(code)])
    if dtype.kind == "c":
        parts = [random_bits(code.lower(), n, seed + i) for i in (1, 2)]
        out = numpy.empty(n, dtype)
        out.real, out.imag = parts
        return out
    if dtype.kind == "b":
        return rng.integers(0, 2, n).astype(bool)
    return numpy.frombuffer(rng.bytes(n * dtype.itemsize), dtype).copy()


def moderate(code: str, n: int, seed: int) -> numpy.ndarray:
    """Numbers whose sums and products round but do not overflow; small integers."""
    rng = numpy.random.default_rng([seed, ord(code)])
    kind = numpy.dtype(code).kind
    if kind in "iu":
        return rng.integers(-3 if kind == "i" else 0, 70, n).astype(code)
    values = rng.standard_normal(n) * 2.0 ** rng.integers(-5, 6, n)
    return (values + 1j * rng.standard_normal(n) if kind == "c" else values).astype(code)


def same_bits(a: numpy.ndarray, b: numpy.ndarray) -> bool:
    """Equal in every bit, but for the payloads and signs of NaN."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind == "c":
        return same_bits(a.real.copy(), b.real.copy()) and same_bits(a.imag.copy(), b.imag.copy())
    if a.dtype.kind == "f":
        nan = numpy.isnan(a)
        return bool((nan == numpy.isnan(b)).all()) and a[~nan].tobytes() == b[~nan].tobytes()
    return a.tobytes() == b.tobytes()


def compare(op: Callable[..., Any], *args: numpy.ndarray) -> bool:
    with numpy.errstate(all="ignore"):
        theirs = op(*args)
        ours = op(*[fastnp.array(a) for a in args])
        return same_bits(numpy.asarray(ours), numpy.asarray(theirs))


@pytest.mark.parametrize("tiny", [1024, 0])
@pytest.mark.parametrize("code", "?" + INTEGERS + FLOATS + COMPLEX)
def test_arithmetic_is_numpys_bit_for_bit(code: str, tiny: int) -> None:
    ops = dict(BINARY)
    if code in "?" + INTEGERS:
        ops |= BITWISE if code != "?" else {k: BITWISE[k] for k in ("and_", "or_", "xor")}
    if code in COMPLEX:
        ops = {k: v for k, v in ops.items() if k not in ("floordiv", "mod")}
    if code == "?":
        ops = {k: v for k, v in ops.items() if k != "sub"}
    failed = []
    with fastnp.settings(tiny=tiny):
        for n, make in itertools.product(SIZES, (random_bits, moderate)):
            if make is moderate and code == "?":
                continue
            a, b = make(code, n, 1), make(code, n, 2)
            if code in COMPLEX and make is random_bits:
                # What an infinite part makes of the other one depends on NumPy's instruction set.
                a, b = moderate(code, n, 3) * 1e10, moderate(code, n, 4)
            for name, op in ops.items():
                # Backwards NumPy multiplies complex numbers without fusing.
                strided = (a[::2], b[::2]) if code in COMPLEX else (a[::2], b[::-1][::2])
                if not compare(op, a, b) or not compare(op, *strided):
                    failed.append((name, n, make.__name__))
    assert not failed


@pytest.mark.parametrize("code", INTEGERS)
def test_integer_division_and_shifts_at_their_ends(code: str) -> None:
    info = numpy.iinfo(code)
    ends = [info.min, info.min + 1, 0, 1, 2, 3, 7, 8, 31, 32, 63, 64, info.max - 1, info.max]
    ends += [-1, -2, -7] if info.min else []
    values = numpy.array([x for x in ends if info.min <= x <= info.max], code)
    a, b = (x.ravel().copy() for x in numpy.meshgrid(values, values))
    for op in [*BINARY.values(), *BITWISE.values(), divmod, numpy.fmod, numpy.gcd, numpy.lcm]:
        with numpy.errstate(all="ignore"):
            theirs = op(a, b)
            ours = op(fastnp.array(a), fastnp.array(b))
        pairs = zip(ours, theirs) if isinstance(theirs, tuple) else [(ours, theirs)]
        for our, their in pairs:
            assert same_bits(numpy.asarray(our), their), op


@pytest.mark.parametrize("code", FLOATS + COMPLEX)
@pytest.mark.parametrize("name", ["sqrt", "square", "negative", "positive", "reciprocal", "rint"])
def test_exact_functions_are_numpys_bit_for_bit(name: str, code: str) -> None:
    for n in SIZES:
        x = moderate(code, n, 5)
        assert compare(
            lambda a: getattr(fastnp if type(a) is fastnp.ndarray else numpy, name)(a), x
        )


def specials(code: str) -> list[Any]:
    info = numpy.finfo(code)
    ends = [float(info.max), float(info.tiny), float(info.smallest_subnormal)]
    numbers = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 100.0, *ends, numpy.inf]
    real = [sign * x for x in numbers for sign in (1, -1)] + [numpy.nan]
    if code not in COMPLEX:
        return real
    few = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, ends[0], numpy.inf, -numpy.inf, numpy.nan]
    return [complex(x, y) for x in few for y in few]


def classes(x: numpy.ndarray) -> list[numpy.ndarray]:
    """What must agree: for numbers nan, infinite, zero and the sign; all there is for the rest."""
    if x.dtype.kind == "c":
        return [*classes(x.real), *classes(x.imag)]
    if x.dtype.kind != "f":
        return [x]
    sign = numpy.signbit(x) & ~numpy.isnan(x)
    return [numpy.isnan(x), numpy.isinf(x), x == 0, sign]


@pytest.mark.parametrize("code", FLOATS + COMPLEX)
@pytest.mark.parametrize("name", UFUNCS)
def test_special_values_are_numpys_in_sign_and_class(name: str, code: str) -> None:
    function = getattr(numpy, name)
    if not any(t.startswith(code * function.nin + "->") for t in function.types):
        pytest.skip("no such loop")
    rows = list(itertools.product(specials(code), repeat=function.nin))
    if name in ANY_ZERO:
        rows = [row for row in rows if row[0] != row[1]]
    if code in COMPLEX and name in ("multiply", "divide", "square", "power", "sign"):
        # NumPy's vector and scalar code differ in what an infinite part makes of the other one.
        rows = [row for row in rows if numpy.isfinite(row).all() and numpy.abs(row).max() < 1e30]
    args = [numpy.array(column, code) for column in zip(*rows)]
    with numpy.errstate(all="ignore"):
        theirs = function(*args)
        ours = getattr(fastnp, name)(*[fastnp.array(a) for a in args])
    pairs = zip(ours, theirs) if isinstance(theirs, tuple) else [(ours, theirs)]
    for our, their in pairs:
        got = numpy.asarray(our)
        assert got.dtype == their.dtype
        differ = numpy.logical_or.reduce([a != b for a, b in zip(classes(got), classes(their))])
        at = numpy.flatnonzero(differ)[:5]
        assert not len(at), [(rows[i], got[i], their[i]) for i in at]
