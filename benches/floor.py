"""Time of small operations, compared with NumPy: `python -m benches.floor [--json out.json]`.

Times one statement at a time over lengths from one to ten thousand and three types. A cell is
NumPy's time over fastnp's: above 1 fastnp is faster. Below the table are the geometric mean of all
cells and every cell below 0.9. It does not pass or fail.

`benches.cells` says how a statement is timed. A masked selection is lazy, so there both modules
read the shape of the result.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

import fastnp
import numpy

from benches.cells import compare, summarize
from benches.turns import Times, ratio

SIZES = (1, 10, 100, 1_000, 10_000)
DTYPES = ("float64", "float32", "int64")
# Cells below this ratio are listed.
FLOOR = 0.9

STATEMENTS = {
    "a + b": "r = a + b",
    "a * 2.5": "r = a * 2.5",
    "a += b": "a += b",
    "add(a, b, a)": "np.add(a, b, a)",
    "add(a, b, out=a)": "np.add(a, b, out=a)",
    "a < b": "r = a < b",
    "sqrt(a)": "r = np.sqrt(a)",
    "exp(a)": "r = np.exp(a)",
    "a.sum()": "r = a.sum()",
    "a.max()": "r = a.max()",
    "a @ b": "r = a @ b",
    "where(m, a, b)": "r = np.where(m, a, b)",
    "a[1:-1]": "r = a[1:-1]",
    "a[i]": "r = a[i]",
    "a[i] = x": "a[i] = x",
    "a[m]": "r = a[m]; r.shape",
    "a.copy()": "r = a.copy()",
    "zeros(n)": "r = np.zeros(n, t)",
    "arange(n)": "r = np.arange(n, dtype=t)",
    "2.5 * a": "r = 2.5 * a",
    "s * a": "r = s * a",
    "A[i]": "r = A[i]",
    "a.argmax()": "r = a.argmax()",
    "a.ravel()": "r = a.ravel()",
    "a.fill(x)": "a.fill(x)",
    "a.tolist()": "r = a.tolist()",
    "asarray(a)": "r = np.asarray(a)",
    "array(list)": "r = np.array(l)",
    "array(list, float32)": "r = np.array(l, np.float32)",
    "array(numbers)": "r = np.array([1, 2.5, s])",
    "array(bools)": "r = np.array([True, False])",
    "a[i] = float64": "a[i] = f",
    "arange(n) * 3 + 1": "r = np.arange(n, dtype=t) * 3 + 1",
    "linspace(0, 1, n)": "r = np.linspace(0, 1, n)",
    "fromfunction": "r = np.fromfunction(np.sqrt, (n,))",
    "sqrt(x)": "r = np.sqrt(x)",
    "asarray(list)": "r = np.asarray(l)",
    "array(lists)": "r = np.array([l, l])",
    "array(arrays)": "r = np.array([a, b])",
    "a + tuple": "r = a + p",
    "tuple == a": "r = p == a",
    "float64 + 2": "r = f + 2",
    "sqrt(float64)": "r = np.sqrt(f)",
    "linalg.norm(a)": "r = np.linalg.norm(a)",
    "random.rand(5)": "r = np.random.rand(5)",
    "random.randn(5)": "r = np.random.randn(5)",
    "random.randint(9)": "r = np.random.randint(9)",
    "random.normal()": "r = np.random.normal()",
    "concatenate": "r = np.concatenate((a, b))",
    "stack": "r = np.stack([a, b])",
}
# The local variables of the loop, which statements may name: arrays, a matrix of two columns, a
# list, a NumPy scalar, numbers, a type, a `numpy.float64` and a tuple of as many numbers.
SETUP = "np, a, b, m, A, l, s, i, x, n, t, f, p = make()"


def operands(np: Any, n: int, dtype: str) -> tuple[Any, ...]:
    """The variables of `SETUP`, in that order: the same values for each module, in its arrays."""
    random = numpy.random.default_rng(1)
    values = random.uniform(1, 4, (2, n)).astype(dtype)
    # In-place sums of these do not overflow.
    a, b = np.array(values[0]), np.array(values[1] / 1024).astype(dtype)
    m, A = np.array(random.random(n) < 0.5), np.array(values.T.copy())
    if np is fastnp:
        fastnp.eval(a, b, m, A)
    x = 3 if dtype == "int64" else 3.5
    t = getattr(np, dtype)
    numbers = values[0].tolist()
    return np, a, b, m, A, numbers, t(x), n // 2, x, n, t, np.float64(3), tuple(numbers)


def table(
    names: list[str], dtypes: list[str], sizes: list[int], rounds: int, budget: float
) -> dict[str, Times]:
    """Measure and print every cell; give the times back, by the cell's name."""
    print(f"{'numpy / fastnp, above 1 is faster':34}" + "".join(f"{n:>9,}" for n in sizes))
    found: dict[str, Times] = {}
    for name in names:
        for dtype in dtypes:
            print(f"{name:24}{dtype:10}", end="", flush=True)
            for n in sizes:
                make = partial(operands, n=n, dtype=dtype)
                times = compare(STATEMENTS[name], SETUP, make, rounds, budget)
                found[f"{name}, {dtype}, n={n:,}"] = times
                print(f"{ratio(times):>9.2f}", end="", flush=True)
            print()
    return found


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benches.floor", description=__doc__)
    parser.add_argument("--json", type=Path, help="write every time to this file")
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--dtypes", nargs="*", default=list(DTYPES))
    parser.add_argument("--statements", nargs="*", default=[""], help="parts of their names")
    parser.add_argument("--rounds", type=int, default=6, help="turns of each module (6)")
    parser.add_argument("--budget", type=float, default=0.1, help="seconds a module and cell (0.1)")
    options = parser.parse_args()
    names = [name for name in STATEMENTS if any(part in name for part in options.statements)]
    times = table(names, options.dtypes, options.sizes, options.rounds, options.budget)
    summarize(times, [FLOOR], options.json)


if __name__ == "__main__":
    main()
