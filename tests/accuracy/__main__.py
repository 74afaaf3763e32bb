"""Measure all errors, print them, and write `docs/accuracy.md`.

python -m tests.accuracy              some minutes
python -m tests.accuracy --quick      ten seconds; writes nothing
python -m tests.accuracy --every exp sin   all 2^32 singles of these functions; prints, writes nothing
"""

from __future__ import annotations

import argparse
import pathlib
import platform
import sys

import numpy as np

from tests.accuracy import exhaustive, functions, reductions, transforms

DOCS = pathlib.Path(__file__).parents[2] / "docs"
POINTS = 1_000_000
QUICK = 20_000

HEAD = f"""# Accuracy

The largest error found of every native elementwise function, of every reduction and of Fourier transforms, fastnp's and NumPy's, over the
same arguments.
Written by `python -m tests.accuracy`. Tests compare fastnp's columns with their bounds.

## Functions

In units of the last place; a correctly rounded result is within 0.5. About {POINTS:,} points a function: random over the whole
exponent range, dense next to multiples of pi/2, to 1, to powers of two, to the bounds of overflow and underflow and among
subnormals, arguments up to 1e300, and pairs of similar and of different magnitude; all `float16` numbers. The reference is the C
library's long double. The error of a complex function is the magnitude of the difference, over arguments of moderate magnitude; both
libraries call the C library's complex functions.

The bound is 1 where NumPy's error is within 1, else 4 or NumPy's error, whichever is larger. NumPy's column depends on the processor,
which selects NumPy's implementation.
"""
REDUCTIONS = """
## Reductions

In units of eps times the sum of magnitudes (for products: times the magnitude of the product and the square root of the number of
factors), against exact sums; the largest over lengths up to a million and two kinds of data. NumPy adds pairwise only along contiguous
memory, fastnp along every axis. Products of many single-precision factors close to one drift, because partial products near one tend to
round in the same direction. fastnp's products drift more: they have a partial product in each lane of each thread's part, and NumPy's
have one in all. Where a partial product overflows or underflows, the product is computed again from the first factor on, as NumPy's is.
"""
TRANSFORMS = """
## Fourier transforms

The root mean square error over that of the result, in units of eps, against NumPy's transform in long double: of one transform by itself or
of five lines, whichever is larger. Both libraries compute `complex64` in double precision.
"""


def functions_table(rows: list[functions.Row]) -> list[str]:
    lines = ["| function | type | ours | NumPy's | at most |", "|---|---|---:|---:|---:|"]
    for row in rows:
        lines.append(
            f"| {row.name} | {row.dtype} | {row.ours:.3f} | {row.numpys:.3f} | {row.bound:.3g} |"
        )
    return lines


def reductions_table(rows: list[reductions.Row]) -> list[str]:
    lines = ["| reduction | type | layout | ours | NumPy's |", "|---|---|---|---:|---:|"]
    for row in rows:
        lines.append(
            f"| {row.name} | {row.dtype} | {row.layout} | {row.ours:.3f} | {row.numpys:.3f} |"
        )
    return lines


def transforms_table(rows: list[transforms.Row]) -> list[str]:
    lines = ["| transform | type | points | ours | NumPy's |", "|---|---|---:|---:|---:|"]
    for row in rows:
        lines.append(
            f"| {row.name} | {row.dtype} | {row.points} | {row.ours:.3f} | {row.numpys:.3f} |"
        )
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.accuracy")
    parser.add_argument("--quick", action="store_true", help="fewer points; write nothing")
    parser.add_argument("--every", nargs="+", metavar="FUNCTION", help="all singles of functions")
    given = parser.parse_args()
    if not functions.has_reference():
        print("long double has no more bits than float64 here, so it cannot be the reference")
        return 1
    if given.every:
        for name in given.every:
            print(exhaustive.measure(name))
        return 0
    print("measuring functions, then reductions: some minutes", file=sys.stderr)
    rows = functions.table(QUICK if given.quick else POINTS)
    folds = reductions.table([1, 10, 1000] if given.quick else reductions.SIZES)
    spectra = transforms.table(transforms.LENGTHS[:6] if given.quick else transforms.LENGTHS)
    tables = (functions_table(rows), reductions_table(folds), transforms_table(spectra))
    listing = [line for table in tables for line in (*table, "")]
    print("\n".join(listing))
    if not given.quick:
        machine = f"NumPy {np.__version__}, {platform.machine()}"
        text = [
            HEAD,
            *tables[0],
            REDUCTIONS,
            *tables[1],
            TRANSFORMS,
            *tables[2],
            "",
            f"Measured with {machine}.",
        ]
        (DOCS / "accuracy.md").write_text("\n".join(text) + "\n")
    measured: list[functions.Row | reductions.Row | transforms.Row] = [*rows, *folds, *spectra]
    over = [row for row in measured if row.ours > row.bound]
    print("\n".join(f"exceeds its bound: {r}" for r in over))
    return bool(over)


if __name__ == "__main__":
    sys.exit(main())
