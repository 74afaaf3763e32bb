"""The largest errors of elementwise functions, in units of the last place.

The reference is the C library's long double. It has 64 bits, eleven more than float64, so its own errors of a few ulps are some
hundredths of an ulp of float64. `tests/accuracy/reference`, computed with 400 bits, checks it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import fastnp
import numpy as np

from tests.accuracy import points
from tests.progress import with_progress

UNARY = """
    exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh
    arccosh arctanh cbrt sqrt square reciprocal deg2rad rad2deg
    """.split()
BINARY = "add subtract multiply divide power arctan2 hypot logaddexp logaddexp2".split()
COMPLEX_UNARY = """
    exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh
    arccosh arctanh sqrt square reciprocal absolute
    """.split()
COMPLEX_BINARY = "add subtract multiply divide power".split()

# Not from NumPy's long double, which uses the same formula as NumPy's other types.
SERIES = {"logaddexp", "logaddexp2"}


class Row(NamedTuple):
    """The largest errors of a function in a type, fastnp's and NumPy's: in ulps, and at which arguments."""

    name: str
    dtype: str
    ours: float
    ours_at: str
    numpys: float
    numpys_at: str

    @property
    def bound(self) -> float:
        """The bound of fastnp's error: 1 if NumPy's is within 1, else the larger of 4 and NumPy's."""
        return 1.0 if self.numpys <= 1.0 else max(4.0, self.numpys)


def has_reference() -> bool:
    """Whether long double has more bits than float64 here."""
    return bool(np.finfo(np.longdouble).nmant >= 63)


def errors(got: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Errors in ulps of the reference; nan where both are nan."""
    if got.dtype.kind == "c":
        return _complex_errors(got, true)
    info = np.finfo(got.dtype)
    _, exponent = np.frexp(true)
    unit = np.ldexp(
        np.longdouble(1), np.maximum(exponent - 1, info.minexp).astype(np.int32) - info.nmant
    )
    value = got.astype(np.longdouble)
    # Infinity counts as the next number after the largest; the reference is clipped to it.
    top = np.ldexp(np.longdouble(1), info.maxexp)
    value = np.where(np.isinf(value), np.copysign(top, value), value)
    true_in = np.clip(true, -top, top)
    found = np.abs(value - true_in) / np.minimum(unit, top / 2**info.nmant / 2)
    wrong = np.isnan(got) != np.isnan(true)
    return np.where(wrong, np.inf, found).astype(np.float64)


def _complex_errors(got: np.ndarray, true: np.ndarray) -> np.ndarray:
    """The magnitude of the difference in ulps of the reference's magnitude; nan unless both are finite."""
    real = got.real.dtype
    info = np.finfo(real)
    size = np.hypot(true.real, true.imag)
    _, exponent = np.frexp(size)
    unit = np.ldexp(
        np.longdouble(1), np.maximum(exponent - 1, info.minexp).astype(np.int32) - info.nmant
    )
    fits = np.isfinite(got) & np.isfinite(true) & (size < np.longdouble(info.max) / 4)
    found = np.hypot(got.real - true.real, got.imag - true.imag) / unit
    return np.where(fits, found, np.nan).astype(np.float64)


def reference(name: str, args: list[np.ndarray]) -> np.ndarray:
    """The function in long double."""
    kind = np.clongdouble if args[0].dtype.kind == "c" else np.longdouble
    wide: list[Any] = [a.astype(kind) for a in args]
    if name in SERIES:
        # log(e^a + e^b) = a + log1p(e^(b - a)), with the smaller one second.
        high, low = np.maximum(*wide), np.minimum(*wide)
        if name == "logaddexp":
            return np.where(
                high == low, high + np.log(np.longdouble(2)), high + np.log1p(np.exp(low - high))
            )
        rest = np.log1p(np.exp2(low - high)) / np.log(np.longdouble(2))
        return np.where(high == low, high + 1, high + rest)
    return np.asarray(getattr(np, name)(*wide))


def worst(
    name: str, args: list[np.ndarray], got: np.ndarray, true: np.ndarray
) -> tuple[float, str]:
    """The largest error, and the arguments it is at."""
    found = errors(got, true)
    found = np.where(np.isnan(found), -1.0, found)
    at = int(np.argmax(found))
    shown = ", ".join(str(a[at]) for a in args)
    return max(float(found[at]), 0.0), shown


def arguments(name: str, dtype: np.dtype, n: int) -> list[np.ndarray]:
    """The points for a function, the same in each run."""
    rng = np.random.default_rng([ord(c) for c in name] + [dtype.itemsize])
    if dtype.kind == "c":
        part = np.dtype(f"f{dtype.itemsize // 2}")
        count = 1 if name in COMPLEX_UNARY else 2
        # Both parts are of similar magnitude. With very different ones sums of parts cancel in any order, which is not the function's error.
        drawn = [
            rng.uniform(-1, 1, (n, 2)) * 2.0 ** rng.integers(-6, 5, (n, 1)) for _ in range(count)
        ]
        return [np.ascontiguousarray(d.astype(part)).view(dtype).ravel() for d in drawn]
    if name in BINARY:
        return list(points.pairs(dtype, rng, n))
    return [points.unary(dtype, rng, n)]


def measure(name: str, dtype: str, n: int) -> Row:
    """The row of one function and type over about `n` points."""
    kind = np.dtype(dtype)
    args = arguments(name, kind, n)
    with np.errstate(all="ignore"):
        args = [np.where(np.isnan(a), a.dtype.type(1), a) for a in args]
        true = reference(name, args)
        numpys = np.asarray(getattr(np, name)(*args))
        ours = np.asarray(getattr(fastnp, name)(*[fastnp.array(a) for a in args]))
        ours_worst = worst(name, args, ours, true)
        numpys_worst = worst(name, args, numpys, true)
    return Row(name, dtype, *ours_worst, *numpys_worst)


def table(n: int) -> list[Row]:
    """All functions in all types."""
    real = [(name, dtype) for name in UNARY + BINARY for dtype in ("float16", "float32", "float64")]
    both = [
        (name, d) for name in COMPLEX_UNARY + COMPLEX_BINARY for d in ("complex64", "complex128")
    ]
    return [
        measure(name, dtype, n) for name, dtype in with_progress(real + both, "functions measured")
    ]
