"""NumPy and fastnp, compared: `python -m benches.peers [--json out.json]`.

Times a list of expressions over sizes from ten to ten million elements, and a few figures for the
cost and the gain of laziness. Both modules run in one process and take turns in both orders (A B
B A), which cancels a linear drift of the machine's speed. A figure is the median over the rounds of
the time of a call whose results are computed and dropped. It does not pass or fail.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import fastnp
import numpy

from benches.cells import leaves_pending
from benches.turns import Times, ratio, take_turns
from npbench import machine, memory

Program = Callable[[Any, Any, Any], Any]

SIZES = (10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
MODULES = {"numpy": numpy, "fastnp": fastnp}
LARGE = 10_000_000


def chain(np: Any, x: Any, y: Any) -> Any:
    """Ten cheap operations in a row."""
    z = np.abs((x * 2.0 + 1.0) / 3.0 - 0.5)
    return np.maximum(np.sqrt(z) + y, 1.0) * x - y + 4.0


def circle(np: Any, x: Any, y: Any) -> Any:
    """sin(x)^2 + cos(x)^2: two elementary functions."""
    return np.sin(x) ** 2 + np.cos(x) ** 2


def update(np: Any, x: Any, y: Any) -> Any:
    """In-place update of a slice of a copy."""
    z = x.copy()
    z[1:-1] += 0.5 * (x[2:] - 2.0 * x[1:-1] + x[:-2])
    return z


def masked(np: Any, x: Any, y: Any) -> Any:
    """A masked selection is computed with and assigned back."""
    z = x.copy()
    mask = z > 0.5
    z[mask] = z[mask] ** 2 + y[mask]
    return z


EXPRESSIONS: dict[str, Program] = {
    "x + y": lambda np, x, y: x + y,
    "x * 2.5": lambda np, x, y: x * 2.5,
    "sqrt(x*x + y*y)": lambda np, x, y: np.sqrt(x * x + y * y),
    "sin(x)**2 + cos(x)**2": circle,
    "exp(-x) / (1 + y)": lambda np, x, y: np.exp(-x) / (1.0 + y),
    "chain of ten": chain,
    "where(x < y, x, y - x)": lambda np, x, y: np.where(x < y, x, y - x),
    "x.sum()": lambda np, x, y: x.sum(),
    "(x * y).sum()": lambda np, x, y: (x * y).sum(),
    "x.mean(), x.std()": lambda np, x, y: (x.mean(), x.std()),
    "rows: sum(axis=1)": lambda np, x, y: x.reshape(10, -1).sum(axis=1),
    "stencil in place": update,
    "masked update": masked,
    "cumsum(x)": lambda np, x, y: np.cumsum(x),
    "x[3]": lambda np, x, y: x[3],
}


def inputs(np: Any, n: int) -> tuple[Any, Any]:
    """The same values for each module, in its arrays, evaluated."""
    random = numpy.random.default_rng(1)
    x, y = np.array(random.random(n)), np.array(random.random(n))
    evaluate(np, (x, y))
    return x, y


def evaluate(np: Any, value: Any) -> None:
    """Evaluate the pending results of fastnp."""
    if np is fastnp:
        fastnp.eval(*(value if isinstance(value, tuple) else (value,)))


def is_lazy(program: Program, arrays: tuple[Any, Any]) -> bool:
    """Whether the program leaves an operation pending; small ones run eagerly."""
    return leaves_pending(partial(program, fastnp, *arrays))


def time_calls(np: Any, program: Program, arrays: tuple[Any, Any], calls: int, lazy: bool) -> float:
    """Seconds a call, over that many; `lazy` results are evaluated in each call."""
    (x, y), flush = arrays, fastnp.flush
    start = time.perf_counter()
    if lazy:
        for _ in range(calls):
            _kept = program(np, x, y)
            flush()
    else:
        for _ in range(calls):
            program(np, x, y)
    return (time.perf_counter() - start) / calls


def compare(program: Program, n: int, rounds: int, budget: float) -> Times:
    """Median seconds a call for each module; the modules take turns in both orders."""
    arrays = {name: inputs(module, n) for name, module in MODULES.items()}
    lazy = {"numpy": False, "fastnp": is_lazy(program, arrays["fastnp"])}
    calls = {}
    for name, module in MODULES.items():
        once = min(time_calls(module, program, arrays[name], 1, lazy[name]) for _ in range(3))
        calls[name] = max(1, min(100_000, int(budget / rounds / max(once, 1e-7))))

    def measured(name: str) -> float:
        return time_calls(MODULES[name], program, arrays[name], calls[name], lazy[name])

    found = take_turns({name: partial(measured, name) for name in MODULES}, rounds)
    return {name: statistics.median(times) for name, times in found.items()}


def growth(module: str) -> int:
    """Bytes by which one evaluation of `circle` over ten million elements raises the resident set.

    It needs a new process, whose memory pools are empty.
    """
    np = MODULES[module]
    x, y = inputs(np, LARGE)
    evaluate(np, circle(np, x[:100_000].copy(), y))
    before = memory.current_bytes()
    memory.reset_peak()
    evaluate(np, circle(np, x, y))
    return memory.peak_bytes() - before


def growth_in_process(module: str) -> int:
    """`growth`, in a new process."""
    command = [sys.executable, "-m", "benches.peers", "--growth", module]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def kernels(program: Program, n: int) -> int:
    """Kernels that one warm evaluation launches."""
    x, y = inputs(fastnp, n)
    evaluate(fastnp, program(fastnp, x, y))
    fastnp.reset_stats()
    evaluate(fastnp, program(fastnp, x, y))
    return fastnp.stats()["kernels_launched"]


def record_seconds(n: int, loops: int = 20_000, rounds: int = 15) -> float:
    """Seconds to record `x + y`, less those of the loop; the result is never computed."""
    x, y = inputs(fastnp, n)
    found = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(loops):
            pass
        begun = time.perf_counter()
        for _ in range(loops):
            x + y
        found.append((time.perf_counter() - begun - (begun - start)) / loops)
        fastnp.flush()
    return statistics.median(found)


def figures(rounds: int, budget: float) -> dict[str, Any]:
    """The figures below the table: what laziness costs and gains in time, kernels and memory."""
    grown = {module: growth_in_process(module) for module in MODULES}
    return {
        "circle at 10^7": compare(circle, LARGE, rounds, budget),
        "circle at 10^7, kernels": kernels(circle, LARGE),
        "circle at 10^7, growth in bytes": grown,
        "chain of ten at 10^7": compare(chain, LARGE, rounds, budget),
        "chain of ten at 10^7, kernels": kernels(chain, LARGE),
        "chain of ten at 100": compare(chain, 100, rounds, budget),
        "recording x + y at 10^6, seconds": record_seconds(1_000_000),
        "import, whole process": import_seconds(),
    }


def import_seconds(rounds: int = 20) -> Times:
    """Median seconds of a process that imports a module and ends; the modules take turns."""
    found: dict[str, list[float]] = {name: [] for name in MODULES}
    for turn in range(-1, rounds):
        for name, times in found.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", f"import {name}"], check=True)
            if turn >= 0:  # the first turn reads files from disk and compiles them
                times.append(time.perf_counter() - start)
    return {name: statistics.median(times) for name, times in found.items()}


def show(seconds: float) -> str:
    """A time with a suitable unit."""
    for unit, scale in (("ns", 1e9), ("µs", 1e6), ("ms", 1e3)):
        if seconds * scale < 1000:
            return f"{seconds * scale:.4g} {unit}"
    return f"{seconds:.4g} s"


def show_figure(value: Any) -> str:
    """A figure as a cell of the table."""
    if isinstance(value, dict) and all(isinstance(v, float) for v in value.values()):
        return f"{show(value['numpy'])} / {show(value['fastnp'])} = {ratio(value):.2f}"
    if isinstance(value, dict):
        return " / ".join(f"{v / 1e6:.1f} MB" for v in value.values())
    return show(value) if isinstance(value, float) else str(value)


def table(chosen: dict[str, Program], sizes: list[int], rounds: int, budget: float) -> Any:
    """Measure and print each expression at each size; return the times."""
    print(f"{'numpy / fastnp, above 1 is faster':34}" + "".join(f"{n:>11,}" for n in sizes))
    found: dict[str, dict[str, Times]] = {}
    for name, program in chosen.items():
        found[name] = {}
        print(f"{name:34}", end="", flush=True)
        for n in sizes:
            times = found[name][str(n)] = compare(program, n, rounds, budget)
            print(f"{ratio(times):>11.2f}", end="", flush=True)
        print()
    return found


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benches.peers", description=__doc__)
    parser.add_argument("--json", type=Path, help="write every time to this file")
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--expressions", nargs="*", default=[], help="parts of their names")
    parser.add_argument("--rounds", type=int, default=6, help="turns of each module (6)")
    parser.add_argument("--budget", type=float, default=0.3, help="seconds a module and cell (0.3)")
    parser.add_argument("--growth", choices=list(MODULES), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.growth:
        print(growth(options.growth))
        return
    chosen = {
        name: program
        for name, program in EXPRESSIONS.items()
        if not options.expressions or any(part in name for part in options.expressions)
    }
    times = table(chosen, options.sizes, options.rounds, options.budget)
    print()
    more = {} if options.expressions else figures(options.rounds, options.budget)
    for name, value in more.items():
        print(f"{name:34} {show_figure(value)}")
    if options.json:
        content = {"machine": machine.describe(), "seconds": times, "figures": more}
        options.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
