"""Elementary functions, compared with NumPy's: `python -m benches.functions [--json out.json]`.

Times every elementary function of floats on one thread, over sizes from a thousand elements, where
the overhead of a call shows, to a hundred thousand. Results go to an existing array (`out=`), so
that neither module allocates. Pending results of fastnp are computed in the loop by
`fastnp.flush()`, which counts against fastnp. Each line has ns an element of both modules, and
NumPy's time over fastnp's: above 1 fastnp is faster. At the end are the geometric mean and the
minimum for each size. It does not pass or fail.

Arguments are uniform in a part of the domain (`DOMAINS`), the same for both. `--special` makes one
in so many special instead: NaN, an infinity, zero, or a negative number. The modules take
turns in both orders (A B B A); a figure is the median of the rounds, each the minimum of a few
runs of the loop.
"""

from __future__ import annotations

import os

# One thread. The engine reads this when it is imported.
os.environ["FASTNP_NUM_THREADS"] = "1"

import argparse
import json
import math
import statistics
import timeit
from functools import partial
from pathlib import Path
from typing import Any

import fastnp
import numpy

from benches.cells import leaves_pending
from benches.turns import Times, ratio, take_turns
from npbench import machine

SIZES = (1_000, 20_000, 100_000)
DTYPES = ("float64", "float32")
MODULES = {"numpy": numpy, "fastnp": fastnp}

UNARY = (
    "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan "
    "sinh cosh tanh arcsinh arccosh arctanh cbrt sqrt"
).split()
BINARY = ("arctan2", "hypot", "power")
NAMES = (*UNARY, *BINARY)

ORDINARY = (0.1, 3.0)
WIDE = (-10.0, 10.0)
INSIDE = (-0.95, 0.95)
# The ranges of arguments that are not `ORDINARY`; second arguments are from -3 to 3.
DOMAINS = {
    **dict.fromkeys(("exp", "sin", "cos", "tan", "sinh", "cosh", "tanh"), WIDE),
    **dict.fromkeys(("arcsin", "arccos", "arctanh"), INSIDE),
    "arccosh": (1.1, 4.0),
}
SECOND = (-3.0, 3.0)
SPECIAL = (float("nan"), float("inf"), 0.0, -1000.0)
# Runs of the loop in a round.
RUNS = 3


def operands(name: str, n: int, dtype: str, special: int) -> list[Any]:
    """NumPy's arrays of arguments, of the first one in `special` special, unless that is 0."""
    random = numpy.random.default_rng(0)
    domains = [DOMAINS.get(name, ORDINARY)] + [SECOND] * (name in BINARY)
    arrays = [random.uniform(*domain, n).astype(dtype) for domain in domains]
    if special:
        where = random.integers(0, special, n) == 0
        arrays[0][where] = random.choice(SPECIAL, numpy.count_nonzero(where))
    return arrays


def timer(np: Any, name: str, arrays: list[Any]) -> timeit.Timer:
    """The loop around a call with `out=`, with a flush if the result stays pending."""
    args = [np.array(array) for array in arrays]
    out = np.empty_like(args[0])
    names = {"f": getattr(np, name), "x": args[0], "y": args[-1], "out": out, "flush": fastnp.flush}
    statement = "f(x, y, out=out)" if name in BINARY else "f(x, out=out)"
    if np is fastnp:
        fastnp.eval(*args, out)
        if leaves_pending(partial(exec, statement, names)):
            statement += "; flush()"
    return timeit.Timer(statement, globals=names)


def seconds(loop: timeit.Timer, calls: int) -> float:
    """The minimum seconds a call over a few runs of the loop."""
    return min(loop.repeat(RUNS, calls)) / calls


def compare(name: str, n: int, dtype: str, rounds: int, budget: float, special: int = 0) -> Times:
    """Median seconds a call for each module; the modules take turns in both orders."""
    arrays = operands(name, n, dtype, special)
    timers = {module: timer(np, name, arrays) for module, np in MODULES.items()}
    calls = {}
    for module, loop in timers.items():
        calls[module] = max(1, int(budget / rounds / RUNS / max(seconds(loop, 3), 1e-8)))
    measures = {m: partial(seconds, loop, calls[m]) for m, loop in timers.items()}
    found = take_turns(measures, rounds)
    return {module: statistics.median(times) for module, times in found.items()}


def table(
    names: list[str],
    dtypes: list[str],
    sizes: list[int],
    rounds: int,
    budget: float,
    special: int = 0,
) -> dict[str, dict[str, Times]]:
    """Measure and print every cell; return the times, by size and by the cell's name."""
    print("ns an element of NumPy and fastnp, and their ratio, by size")
    print(" " * 20 + "".join(f"{n:>24,}" for n in sizes))
    found: dict[str, dict[str, Times]] = {f"{n:,}": {} for n in sizes}
    for dtype in dtypes:
        for name in names:
            print(f"{name:10}{dtype:10}", end="", flush=True)
            for n in sizes:
                times = compare(name, n, dtype, rounds, budget, special)
                found[f"{n:,}"][f"{name}, {dtype}"] = times
                numpys, ours = (times[module] / n * 1e9 for module in MODULES)
                print(f"{numpys:>10.3f}{ours:>7.3f}{ratio(times):>7.2f}", end="", flush=True)
            print()
    return found


def summary(cells: dict[str, Times]) -> tuple[float, str]:
    """The geometric mean of the ratios, and the name of the smallest."""
    mean = math.exp(statistics.fmean(math.log(ratio(t)) for t in cells.values()))
    return mean, min(cells, key=lambda name: ratio(cells[name]))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benches.functions", description=__doc__)
    parser.add_argument("--json", type=Path, help="write every time to this file")
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--dtypes", nargs="*", default=list(DTYPES), choices=DTYPES)
    parser.add_argument("--functions", nargs="*", default=list(NAMES), choices=NAMES)
    parser.add_argument("--rounds", type=int, default=6, help="turns of each module (6)")
    parser.add_argument("--budget", type=float, default=0.1, help="seconds a module and cell (0.1)")
    parser.add_argument("--special", type=int, default=0, help="one argument in so many is special")
    options = parser.parse_args()
    numpy.seterr(all="ignore")
    fastnp.seterr(all="ignore")
    found = table(
        options.functions,
        options.dtypes,
        options.sizes,
        options.rounds,
        options.budget,
        options.special,
    )
    for size, cells in found.items():
        mean, least = summary(cells)
        print(
            f"{size} elements: geometric mean {mean:.2f}, least {ratio(cells[least]):.2f} ({least})"
        )
    if options.json:
        means = {size: summary(cells)[0] for size, cells in found.items()}
        content = {"machine": machine.describe(), "means": means, "seconds": found}
        options.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
