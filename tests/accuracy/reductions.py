"""The errors of reductions against exact sums, fastnp's and NumPy's.

An error is in units of eps times the sum of magnitudes (for products: times the magnitude of the product and the square root of the
number of factors). In any order of additions about one half is unavoidable; the error of one sequential chain of n additions grows
with n. The reference is `math.fsum`, and products in long double.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import fastnp
import numpy as np

from tests.progress import with_progress

DTYPES = ["float16", "float32", "float64"]
SIZES = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000]
LAYOUTS = ["contiguous", "strided", "axis 0", "axis 1"]
DATA = ["positive", "mixed"]


class Row(NamedTuple):
    """The largest errors of a reduction in a type and a layout, over lengths and kinds of data."""

    name: str
    dtype: str
    layout: str
    ours: float
    numpys: float

    @property
    def bound(self) -> float:
        """The bound of fastnp's error: 1.1 times NumPy's, or 1.5, about a single rounding of the result."""
        return max(1.5, 1.1 * self.numpys)


def exact_sum(x: np.ndarray) -> float:
    return math.fsum(x.astype(np.float64).tolist())


def exact_mean(x: np.ndarray) -> float:
    return exact_sum(x) / len(x)


def exact_var(x: np.ndarray) -> float:
    mean = exact_mean(x)
    return math.fsum((v - mean) ** 2 for v in x.astype(np.float64).tolist()) / len(x)


def exact_prod(x: np.ndarray) -> float:
    return float(np.prod(x.astype(np.longdouble)))


def exact_dot(x: np.ndarray) -> float:
    wide = x.astype(np.longdouble)
    parts = wide * wide[::-1]
    high = parts.astype(np.float64)
    return math.fsum([*high.tolist(), *(parts - high).astype(np.float64).tolist()])


def scale_sum(x: np.ndarray) -> float:
    return float(np.abs(x).sum(dtype=np.float64))


def scale_prod(x: np.ndarray) -> float:
    # Relative errors of n roundings add up like a random walk, to the square root of n, in any order.
    return abs(exact_prod(x)) * math.sqrt(len(x))


def scale_dot(x: np.ndarray) -> float:
    wide = np.abs(x.astype(np.float64))
    return float(wide @ wide[::-1])


# What is computed, its exact value, and the scale of its error.
Reduction = tuple[Callable[[Any, Any, Any], Any], Callable[[Any], float], Callable[[Any], float]]
REDUCTIONS: dict[str, Reduction] = {
    "sum": (lambda np, x, axis: np.sum(x, axis=axis), exact_sum, scale_sum),
    "mean": (lambda np, x, axis: np.mean(x, axis=axis), exact_mean, lambda x: scale_sum(x) / len(x)),
    "var": (lambda np, x, axis: np.var(x, axis=axis), exact_var, exact_var),
    "prod": (lambda np, x, axis: np.prod(x, axis=axis), exact_prod, scale_prod),
    "cumsum": (lambda np, x, axis: np.cumsum(x, axis=axis), exact_sum, scale_sum),
    "dot": (lambda np, x, axis: np.dot(x, x[::-1]), exact_dot, scale_dot),
}  # fmt: skip


def values(name: str, dtype: str, n: int, data: str, columns: int) -> np.ndarray:
    """Random numbers whose reduction neither overflows nor underflows."""
    rng = np.random.default_rng([n, len(data), columns])
    x = rng.random((n, columns)) if data == "positive" else rng.standard_normal((n, columns))
    if name == "prod":
        # Of a million factors each is within a thousandth of one; partial products near one tend to round in the same direction.
        return np.exp2((x - x.mean()) * min(0.2, 1000 / n)).astype(dtype)
    return (x + 0.1).astype(dtype)


def error(name: str, got: Any, column: np.ndarray) -> float:
    """The error in units of eps times the scale; of a scan, that of the last element."""
    _, exact, scale = REDUCTIONS[name]
    last = float(np.ravel(got)[-1])
    unit = scale(column) * float(np.finfo(column.dtype).eps)
    return abs(last - exact(column)) / unit if unit else 0.0


def measure(name: str, dtype: str, layout: str, sizes: list[int]) -> Row:
    """The row of one reduction."""
    compute = REDUCTIONS[name][0]
    worst = [0.0, 0.0]
    for n in sizes:
        for data in DATA:
            if name == "var" and n == 1:
                continue
            columns = 3 if layout.startswith("axis") else 1
            x = values(name, dtype, n, data, columns)
            if layout == "axis 1":
                array, axis = np.ascontiguousarray(x.T), 1
            elif layout == "axis 0":
                array, axis = x, 0
            elif layout == "strided":
                array, axis = np.repeat(x[:, 0], 2)[::2], 0
            else:
                array, axis = x[:, 0].copy(), 0
            for which, module in enumerate((fastnp, np)):
                source = fastnp.array(array) if module is fastnp else array
                if layout == "strided" and module is fastnp:
                    source = fastnp.array(np.repeat(x[:, 0], 2))[::2]
                result = np.asarray(compute(module, source, axis))
                results = result.T if layout == "axis 0" and result.ndim == 2 else result
                for column in range(columns):
                    got = results if columns == 1 else results[column]
                    worst[which] = max(worst[which], error(name, got, x[:, column]))
    return Row(name, dtype, layout, *worst)


def table(sizes: list[int] = SIZES) -> list[Row]:
    """All reductions in all types and layouts."""
    rows = []
    for name, dtype in with_progress(
        list(itertools.product(REDUCTIONS, DTYPES)), "reductions measured"
    ):
        # Halves overflow in longer sums; inner products have no axis.
        fitting = [n for n in sizes if n <= 10_000] if dtype == "float16" else sizes
        layouts = LAYOUTS[:2] if name == "dot" else LAYOUTS
        rows += [measure(name, dtype, layout, fitting) for layout in layouts]
    return rows
