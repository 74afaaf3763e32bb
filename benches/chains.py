"""Chains of elementary functions: `python -m benches.chains [--json out.json]`.

Times `c = f(c) * k` repeated 1 to 20 times, which fastnp fuses into one loop, on one thread. Each
line has ns an element and function of fastnp, the ratio of that to the function alone, and NumPy's
time over fastnp's. A fused loop that waits for nothing takes as long a function as one alone,
whatever its length: the ratio should stay below 1.15. A chain of different functions is compared
with the mean of those it has, each alone. It does not pass or fail.

The factors and arguments keep the values of every step within the domain, and away from overflow.
Results go to an existing array (`out=`), so that neither module allocates what it returns. The
modules take turns in both orders (A B B A); a figure is the minimum of many short rounds, most of
which nothing else on the machine interrupts.
"""

from __future__ import annotations

import os

# One thread. The engine reads this when it is imported.
os.environ["FASTNP_NUM_THREADS"] = "1"

import argparse
import json
import math
import timeit
from functools import partial
from pathlib import Path
from typing import Any

import fastnp
import numpy

from benches.turns import Times, take_turns

# The step of a chain: what becomes of `c`. Every one maps (0, 1.2) into itself.
STEPS = {
    "exp": "np.exp(c) * .3",
    "sin": "np.sin(c) * .9",
    "sqrt": "np.sqrt(c) * .4",
    "log": "np.log(c + 2) * .9",
    "tanh": "np.tanh(c) * .9",
}
MIXED = tuple(STEPS)
NAMES = (*STEPS, "mixed")
DTYPES = ("float64", "float32")
SIZES = (10_000, 100_000)
LENGTHS = (1, 2, 5, 10, 20)
MODULES = {"numpy": numpy, "fastnp": fastnp}


def functions(name: str, length: int) -> list[str]:
    """The functions of a chain, in order."""
    return [MIXED[i % len(MIXED)] if name == "mixed" else name for i in range(length)]


def statements(name: str, length: int) -> list[str]:
    """The statements of a chain; the last one writes `out`."""
    steps = [STEPS[function] for function in functions(name, length)]
    call, _, factor = steps[-1].rpartition(" * ")
    return [f"c = {step}" for step in steps[:-1]] + [f"np.multiply({call}, {factor}, out=out)"]


def timer(np: Any, name: str, length: int, n: int, dtype: str) -> timeit.Timer:
    """The loop around a chain, with a flush of what stays pending."""
    start = numpy.random.default_rng(0).uniform(0.1, 1.1, n).astype(dtype)
    names = {"np": np, "start": np.array(start), "flush": fastnp.flush}
    names["out"] = np.empty_like(names["start"])
    body = ["c = start", *statements(name, length)]
    if np is fastnp:
        body.append("del c; flush()")
    return timeit.Timer("\n".join(body), globals=names)


def seconds(loop: timeit.Timer, calls: int) -> float:
    """Seconds a call."""
    return loop.timeit(calls) / calls


def compare(name: str, length: int, n: int, dtype: str, rounds: int, span: float) -> Times:
    """The minimum seconds a call of each module."""
    timers = {module: timer(np, name, length, n, dtype) for module, np in MODULES.items()}
    calls = {}
    for module, loop in timers.items():
        loop.timeit(3)
        calls[module] = max(1, int(span / max(seconds(loop, 3), 1e-7)))
    found = take_turns({m: partial(seconds, timers[m], calls[m]) for m in MODULES}, rounds)
    return {module: min(times) for module, times in found.items()}


def mean_alone(names: list[str], found: dict[str, Times], dtype: str, n: int) -> float | None:
    """The mean of ns an element of functions, each alone; None where one was not measured."""
    cells = [found.get(f"{name}, {dtype}, {n}, 1") for name in names]
    known = [cell["fastnp"] / n * 1e9 for cell in cells if cell is not None]
    return sum(known) / len(names) if len(known) == len(names) else None


def table(
    names: list[str],
    dtypes: list[str],
    sizes: list[int],
    lengths: list[int],
    rounds: int,
    span: float,
) -> dict[str, Times]:
    """Measure and print every cell; return the times by the cell's name."""
    print("ns an element and function, its ratio to one alone, and NumPy's time over it")
    print(" " * 25 + "".join(f"{length:>20}" for length in lengths))
    found = {}
    for dtype in dtypes:
        for n in sizes:
            for name in names:
                print(f"{name:6}{dtype:9}{n:>9,} ", end="", flush=True)
                for length in lengths:
                    times = compare(name, length, n, dtype, rounds, span)
                    found[f"{name}, {dtype}, {n}, {length}"] = times
                    ours = times["fastnp"] / n / length * 1e9
                    alone = mean_alone(functions(name, length), found, dtype, n)
                    print(f"{ours:>8.3f}{ours / alone if alone else math.nan:>6.2f}", end="")
                    print(f"{times['numpy'] / times['fastnp']:>6.1f}", end="", flush=True)
                print()
    return found


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--names", nargs="*", default=NAMES, choices=NAMES)
    parser.add_argument("--dtypes", nargs="*", default=DTYPES, choices=DTYPES)
    parser.add_argument("--sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--lengths", nargs="*", type=int, default=LENGTHS)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--span", type=float, default=0.0015, help="seconds of a measurement")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = table(
        options.names,
        options.dtypes,
        options.sizes,
        options.lengths,
        options.rounds,
        options.span,
    )
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
