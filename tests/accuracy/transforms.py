"""The errors of Fourier transforms against NumPy's in long double, fastnp's and NumPy's.

An error is the root mean square of the differences over that of the result, in units of eps of the
result's type: of one transform by itself and of several lines at once, whichever is larger.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import fastnp
import numpy as np

TRANSFORMS = ("fft", "ifft", "rfft", "irfft")
DTYPES = ("complex64", "complex128")
# Powers of small primes, products of them, and primes.
LENGTHS = [16, 100, 243, 343, 1000, 1009, 1024, 4096, 10007, 65536, 78125, 1 << 20]
LINES = 5


class Row(NamedTuple):
    """The errors of a transform of a length, in a type."""

    name: str
    dtype: str
    points: int
    ours: float
    numpys: float

    @property
    def bound(self) -> float:
        """The bound of fastnp's error: 1.3 times NumPy's, as single roundings decide that of few points."""
        return 1.3 * self.numpys


def error(got: Any, exact: np.ndarray) -> float:
    """The error in units of eps."""
    result = np.asarray(got)
    squares = (np.abs(result - exact) ** 2).sum() / (np.abs(exact) ** 2).sum()
    return float(np.sqrt(squares)) / float(np.finfo(result.dtype).eps)


def measure(name: str, dtype: str, points: int) -> Row:
    """The row of one transform."""
    rng = np.random.default_rng(points)
    worst = [0.0, 0.0]
    for lines in (1, LINES):
        shape = (lines, points // 2 + 1 if name == "irfft" else points)
        x = (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
        if name == "rfft":
            x = x.real.copy()
        wide = x.astype(np.longdouble if name == "rfft" else np.clongdouble)
        exact = getattr(np.fft, name)(wide, points)
        for which, module in enumerate((fastnp, np)):
            got = getattr(module.fft, name)(module.asarray(x), points)
            worst[which] = max(worst[which], error(got, exact))
    return Row(name, dtype, points, *worst)


def table(lengths: list[int] = LENGTHS) -> list[Row]:
    """All transforms of all lengths."""
    return [measure(name, dtype, n) for name in TRANSFORMS for dtype in DTYPES for n in lengths]
