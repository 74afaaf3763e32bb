"""Cells of a table: statements timed under NumPy and under fastnp, their ratios, and a summary.

A statement assigns its result to a name, and is timed as `timeit` does, without a function call
around it. If fastnp's result is pending, the loop computes it by `fastnp.flush()`, whose call and
planning count against fastnp; NumPy's loop has no such call. Small arrays that always run eagerly,
views and scalars need no flush, which is checked before the timing. Both modules run in one process
and take turns in both orders (A B B A); a figure is the minimum of its rounds, since other load
only adds time.
"""

from __future__ import annotations

import json
import math
import time
import timeit
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import fastnp
import numpy

from benches.turns import Times, ratio, take_turns
from npbench import machine

MODULES = {"numpy": numpy, "fastnp": fastnp}

# Seconds for which a statement runs before it is said that it leaves nothing pending: statements
# that were flushed alone run eagerly, but for one in 65 times.
TRIED = 0.02

# The local variables of a loop for a module.
Make = Callable[[Any], tuple[Any, ...]]


def leaves_pending(run: Callable[[], Any]) -> bool:
    """Whether a run leaves its result pending."""
    until = time.perf_counter() + TRIED
    while True:
        kept = run()
        pending = fastnp.explain().startswith("pending")
        del kept
        if pending:
            fastnp.flush()
        if pending or time.perf_counter() > until:
            return pending


def timer(np: Any, statement: str, setup: str, make: Make) -> timeit.Timer:
    """The loop around a statement, with a flush if fastnp leaves its result pending."""
    names = {"make": lambda: make(np), "flush": fastnp.flush}
    if np is fastnp:
        namespace = dict(names)
        exec(setup, namespace)
        if leaves_pending(partial(exec, compile(statement, "statement", "exec"), namespace)):
            statement += "\nflush()"
    return timeit.Timer(statement, setup, globals=names)


def quiet() -> None:
    """Wait until no thread of the process runs besides this one. Those of BLAS poll for 30 ms after
    their last product, and would take a core from the module whose turn is next.
    """
    for _ in range(100):
        before = time.process_time()
        time.sleep(0.001)
        if time.process_time() - before < 0.0003:
            return


def timed(loop: timeit.Timer, number: int) -> float:
    """Seconds of so many runs of a loop, after which no thread of its runs any more."""
    began, cpu_began = time.perf_counter(), time.process_time()
    seconds = loop.timeit(number)
    if time.process_time() - cpu_began > 1.2 * (time.perf_counter() - began):
        quiet()
    return seconds


def compare(statement: str, setup: str, make: Make, rounds: int, budget: float) -> Times:
    """Minimum seconds of a statement for each module; the modules take turns in both orders.

    `setup` assigns the local variables of the loop from `make()`, which is given the module.
    """
    timers = {name: timer(np, statement, setup, make) for name, np in MODULES.items()}
    calls = {}
    for name, loop in timers.items():
        number = 10 if timed(loop, 1) < budget else 1
        once = min(timed(loop, number) for _ in range(3)) / number
        calls[name] = max(1, int(budget / rounds / max(once, 1e-8)))

    def measured(name: str) -> float:
        return timed(timers[name], calls[name]) / calls[name]

    found = take_turns({name: partial(measured, name) for name in MODULES}, rounds)
    return {name: min(times) for name, times in found.items()}


def geometric_mean(times: Iterable[Times]) -> float:
    """Of the cells' ratios."""
    logs = [math.log(ratio(cell)) for cell in times]
    return math.exp(sum(logs) / len(logs))


def summarize(times: dict[str, Times], limits: Iterable[float], path: Path | None) -> None:
    """Print the geometric mean and the cells below each limit, and write all to a file."""
    mean = geometric_mean(times.values())
    print(f"\ngeometric mean of {len(times)} cells: {mean:.3f}")
    above = -math.inf
    for limit in sorted(limits):
        below = sorted((ratio(t), cell) for cell, t in times.items() if above <= ratio(t) < limit)
        all_below = sum(ratio(t) < limit for t in times.values())
        print(f"cells below {limit}: {all_below}")
        for found, cell in below:
            print(f"  {found:.2f}  {cell}")
        above = limit
    if path:
        content = {"machine": machine.describe(), "mean": mean, "seconds": times}
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
