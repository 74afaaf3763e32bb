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

from tests.accuracy import exhaustive, functions, reductions

DOCS = pathlib.Path(__file__).parents[2] / "docs"
POINTS = 1_000_000
QUICK = 20_000

HEAD = f"""# Accuracy

The largest error found of every elementwise function that runs natively, and of every reduction: ours and NumPy's, over the same
arguments. Made by `python -m tests.accuracy`; tests hold our columns to their bounds.

## Functions

In units of the last place; a correctly rounded result is within 0.5. About {POINTS:,} points a function: random over the whole
exponent range, dense next to multiples of pi/2, to 1, to powers of two, to the bounds of overflow and underflow and among
subnormals, arguments up to 1e300, and pairs of like and unlike size; every half there is. The truth is the C library's long double.
Errors of complex functions are lengths, over arguments of moderate size; ours are the C library's, as NumPy's are.

Ours is to be within 1 where NumPy's is, else within 4 or NumPy's. NumPy's column depends on the processor, which chooses its library.
"""
REDUCTIONS = """
## Reductions

In units of eps times the sum of sizes (of products, times their size and the root of their number), against exact sums; the worst
over sizes up to a million and two kinds of data. NumPy adds pairwise along contiguous memory alone; we do along every axis. Products
of many single-precision factors that are all close to one drift, ours the more: partial products near one tend to round the same
way, and ours has one in each lane and thread's part where NumPy has one in all.
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


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.accuracy")
    parser.add_argument("--quick", action="store_true", help="fewer points; write nothing")
    parser.add_argument("--every", nargs="+", metavar="FUNCTION", help="all singles of functions")
    given = parser.parse_args()
    if not functions.has_truth():
        print("long double has no more bits than float64 here: there is no truth to compare with")
        return 1
    if given.every:
        for name in given.every:
            print(exhaustive.measure(name))
        return 0
    rows = functions.table(QUICK if given.quick else POINTS)
    folds = reductions.table([1, 10, 1000] if given.quick else reductions.SIZES)
    listing = [*functions_table(rows), "", *reductions_table(folds)]
    print("\n".join(listing))
    if not given.quick:
        machine = f"NumPy {np.__version__}, {platform.machine()}"
        text = [
            HEAD,
            *functions_table(rows),
            REDUCTIONS,
            *reductions_table(folds),
            "",
            f"Measured with {machine}.",
        ]
        (DOCS / "accuracy.md").write_text("\n".join(text) + "\n")
    over: list[functions.Row | reductions.Row] = [r for r in rows if r.ours > r.bound]
    over += [r for r in folds if r.ours > r.bound]
    print("\n".join(f"over its bound: {r}" for r in over))
    return bool(over)


if __name__ == "__main__":
    sys.exit(main())
