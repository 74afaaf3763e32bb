"""Counting, scattering and other functions of whole arrays: `python -m benches.natives`.

Times the functions that programs call in their loops besides arithmetic: histograms, searches,
updates at positions, convolutions, insertions, pads, polynomials. Each is called with arrays of ten
to ten million elements. `benches.cells` says how a statement is timed. A cell is NumPy's time over
fastnp's: above 1 fastnp is faster. Below the table are the geometric mean and the cells below .95.
It does not pass or fail.
"""

from __future__ import annotations

import argparse
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import fastnp
import numpy

from benches.cells import compare, summarize
from benches.turns import Times, ratio

SIZES = (10, 1_000, 100_000, 10_000_000)
# Cells below this ratio are listed.
LIMIT = 0.95

STATEMENTS = """
    np.bincount(k)
    np.bincount(k, minlength=50)
    np.bincount(k, a)
    np.histogram(a, 20)
    np.histogram(a, 20, (0.0, 5.0))
    np.histogram(a, e)
    np.histogram2d(a, b, 10)
    np.histogramdd((a, b), 10)
    np.histogram_bin_edges(a, 20)
    np.digitize(a, e)
    np.searchsorted(c, b)
    np.searchsorted(c, b, "right")
    np.searchsorted(e, a)
    np.interp(b, e, e)
    np.interp(b, c, a)
    np.add.at(d, i, 1.0)
    np.add.at(d, i, b)
    np.subtract.at(d, i, b)
    np.maximum.at(d, i, b)
    np.bitwise_xor.at(j, i, k)
    np.add.reduceat(a, r)
    np.maximum.reduceat(a, r)
    np.convolve(a, w)
    np.convolve(a, w, "same")
    np.convolve(a, W)
    np.correlate(a, w, "full")
    np.cov(P)
    np.cov(a, b)
    np.corrcoef(P)
    np.place(d, m, w)
    np.extract(m, a).shape
    np.putmask(d, m, b)
    np.putmask(d, m, 2.5)
    np.copyto(d, b, where=m)
    np.delete(a, 3)
    np.delete(a, slice(1, -1, 2))
    np.delete(a, m)
    np.delete(a, r)
    np.delete(a, [1, 3, -1])
    np.delete(P, s, 1)
    np.delete(R, s, 0)
    np.delete(P, slice(1, -1, 2), 1)
    np.delete(R, slice(1, -1, 7), 0)
    np.delete(P, l, 1)
    np.insert(a, 3, 1.5)
    np.insert(a, r, 1.5)
    np.insert(a, [1, 3, -1], b[:3])
    np.insert(P, s, 1.5, 1)
    np.insert(R, s, b[:2], 0)
    np.insert(a, m, 1.5)
    np.append(a, b)
    np.pad(a, 2)
    np.pad(a, 2, "edge")
    np.pad(a, 2, "reflect")
    np.pad(a, 2, "symmetric")
    np.pad(a, 2, "wrap")
    np.pad(a, 2, "linear_ramp")
    np.pad(a, 2, "mean")
    np.pad(P, 1)
    np.roll(a, 3)
    np.roll(P, 1, 1)
    np.tril(Q)
    np.triu(Q, 1)
    np.select([m, h], [a, b], 0.5)
    np.piecewise(a, [m, h], [1.0, 2.0, 3.0])
    np.choose(k % 2, (a, b))
    np.block([[P], [P]])
    np.trapezoid(a, c)
    np.gradient(a)
    np.gradient(a, c)
    np.ediff1d(a)
    np.diff(a)
    np.packbits(m)
    np.unpackbits(u)
    np.vander(a, 4)
    np.polyval(w, a)
    np.divmod(a, b)
    np.modf(a)
    np.frexp(a)
    np.ldexp(a, k)
    np.count_nonzero(m)
    np.nonzero(m)
    np.flatnonzero(a)
    np.take(a, i)
    np.clip(a, 1.5, 3.0)
    np.nan_to_num(a)
    np.cumsum(a)
    np.median(a)
    np.average(a, weights=b)
"""
NAMES = "np a b c d e h i j k l m r s u w W P Q R".split()


# The arrays of one length at a time: those of ten million elements take a gigabyte a module.
@lru_cache(maxsize=2)
def operands(np: Any, n: int) -> tuple[Any, ...]:
    """The variables of `NAMES`, the same values for each module.

    Of `n` elements: floats `a`, `b`, `c` (sorted) and `d` (written to), positions `i`, integers `j`
    (written to), digits `k`, masks `h` and `m`, bytes `u`, matrices `P` of two rows, `Q`, square,
    and `R` of two columns. Besides: edges `e`, sorted positions `r`, three and fifty weights `w`
    and `W`; of the long axis of `P` and `R` sorted positions `s` and a mask `l`.
    """
    random = numpy.random.default_rng(1)
    a, b = random.uniform(1, 4, (2, n))
    i, m, h = random.integers(0, n, n), random.random(n) < 0.5, random.random(n) < 0.5
    side = max(int(n**0.5), 1)
    values = (
        a,
        b,
        numpy.sort(a),
        a,
        numpy.linspace(1, 4, 20),
        h,
        i,
        i,
        i % 10,
        m[: n // 2],
        m,
        positions := numpy.unique(random.integers(0, n, max(n // 100, 3))),
        numpy.unique(positions // 2),
        (i % 251).astype(numpy.uint8),
        numpy.array([1.0, 2.0, 0.5]),
        random.random(50),
        a.reshape(2, -1),
        a[: side * side].reshape(side, side),
        a.reshape(-1, 2),
    )
    found = (np, *map(np.array, values))
    fastnp.flush()
    return found


def table(part: str, sizes: list[int], rounds: int, budget: float) -> dict[str, Times]:
    """Measure and print the cells of all statements; give the times back, by the cell's name."""
    chosen = [line.strip() for line in STATEMENTS.strip().splitlines() if part in line]
    cells: dict[str, Times] = {}
    for n in sizes:
        for statement in chosen:
            make = partial(operands, n=n)
            setup = f"{', '.join(NAMES)} = make()"
            times = compare(f"x = {statement}", setup, make, rounds, budget)
            cells[f"{statement}, n={n:,}"] = times
            print(f"{n:>12,}  {statement:44}{ratio(times):>9.2f}", flush=True)
    return cells


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benches.natives", description=__doc__)
    parser.add_argument("--json", type=Path, help="write every time to this file")
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--statements", default="", help="a part of the statements to time")
    parser.add_argument("--rounds", type=int, default=6, help="turns of each module (6)")
    parser.add_argument("--budget", type=float, default=0.02, help="seconds a module and cell")
    options = parser.parse_args()
    print("numpy / fastnp, above 1 is faster")
    times = table(options.statements, options.sizes, options.rounds, options.budget)
    summarize(times, [LIMIT], options.json)


if __name__ == "__main__":
    main()
