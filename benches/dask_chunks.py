"""Chunks of NumPy's and of fastnp's under Dask: `python -m benches.dask_chunks [--json out.json]`.

The same Dask programs run on two worker processes with chunks of either class, which are on the
workers before. A time is that of the whole computation as the client sees it, with its graph, its
scheduling, and all results on the workers. The second ratio is that of the time which the workers'
processors spent, on which other programs that run meanwhile have little effect. Both classes take
turns in both orders; a figure is the median over the rounds. It does not pass or fail, but for
results that differ.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import dask.array as da
import distributed
import numpy

from benches.peers import show
from benches.turns import Times, ratio, take_turns
from npbench import machine

SIZES = (1, 8, 32)
CLASSES = ("numpy", "fastnp")


def chain(x: Any) -> Any:
    """Twelve cheap operations in a row, which Dask makes one task a chunk of."""
    z = abs((x * 2.0 + 1.0) / 3.0 - 0.5)
    return da.maximum(da.sqrt(z) + x * x, 1.0) * 0.25 - x + 4.0


def polynomial(x: Any) -> Any:
    """A polynomial of degree ten by Horner's rule, in twenty operations."""
    y = x * 0.1 + 1.0
    for k in range(2, 11):
        y = y * x + 1.0 / k
    return y


def elementary(x: Any) -> Any:
    """Exponential function, logarithm and sine, in six operations."""
    return da.sin(x) * da.exp(-x) + da.log(x + 1.0)


def heated(block: Any) -> Any:
    """A step of the heat equation, which keeps the edges."""
    result = block.copy()
    result[1:-1, 1:-1] += 0.1 * (
        block[2:, 1:-1]
        + block[:-2, 1:-1]
        + block[1:-1, 2:]
        + block[1:-1, :-2]
        - 4.0 * block[1:-1, 1:-1]
    )
    return result


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "chain of twelve": chain,
    "chain of twelve, summed": lambda x: chain(x).sum(),
    "polynomial of degree ten": polynomial,
    "sin(x) * exp(-x) + log(x + 1)": elementary,
    "x.sum()": lambda x: x.sum(),
    "x.std(axis=0)": lambda x: x.std(axis=0),
    "stencil, map_overlap": lambda x: x.map_overlap(heated, depth=1, boundary="nearest"),
    "x.T @ (x + 1)": lambda x: x.T @ (x + 1.0),
}


def chunks(client: Any, kind: str, megabytes: int, count: int) -> Any:
    """A column of square chunks of so many megabytes, on the workers."""
    side = math.isqrt(megabytes * 2**20 // 8)
    made = da.random.default_rng(1).random((count * side, side), chunks=(side, side))
    x = client.persist(made.to_backend(kind))
    distributed.wait(x)
    return x


def seconds(client: Any, program: Callable[[Any], Any], x: Any, spent: list[float]) -> float:
    """Seconds until all of the result is on the workers; appends those of their processors."""
    before = sum(client.run(time.process_time).values())
    start = time.perf_counter()
    result = client.persist(program(x))
    distributed.wait(result)
    passed = time.perf_counter() - start
    spent.append(sum(client.run(time.process_time).values()) - before)
    return passed


def compare(
    client: Any, program: Callable[[Any], Any], arrays: Any, rounds: int
) -> tuple[Times, Times]:
    """Median seconds for chunks of each class, which take turns in both orders, as the client sees
    them and of the workers' processors.
    """
    totals = [float(program(arrays[kind]).sum().compute()) for kind in CLASSES]
    numpy.testing.assert_allclose(totals[0], totals[1], rtol=1e-9)
    spent: dict[str, list[float]] = {kind: [] for kind in CLASSES}
    turns = {kind: partial(seconds, client, program, arrays[kind], spent[kind]) for kind in CLASSES}
    passed = take_turns(turns, rounds)
    medians = [
        {kind: statistics.median(times) for kind, times in found.items()}
        for found in (passed, spent)
    ]
    return medians[0], medians[1]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benches.dask_chunks", description=__doc__)
    parser.add_argument("--json", type=Path, help="write every time to this file")
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES), help="MB of a chunk")
    parser.add_argument("--chunks", type=int, default=16, help="chunks of an array (16)")
    parser.add_argument("--workers", type=int, default=2, help="worker processes (2)")
    parser.add_argument("--threads", type=int, default=1, help="threads of a worker (1)")
    parser.add_argument("--rounds", type=int, default=6, help="turns of each class (6)")
    parser.add_argument("--programs", nargs="*", default=[], help="parts of their names")
    options = parser.parse_args()
    chosen = {
        name: program
        for name, program in PROGRAMS.items()
        if not options.programs or any(part in name for part in options.programs)
    }
    found: dict[str, dict[str, Any]] = {name: {} for name in chosen}
    with (
        distributed.LocalCluster(
            n_workers=options.workers,
            threads_per_worker=options.threads,
            dashboard_address=":0",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        print(f"{'':32}{'chunk':>8}{'numpy':>11}{'fastnp':>11}{'ratio':>8}{'processors':>12}")
        for size in options.sizes:
            arrays = {kind: chunks(client, kind, size, options.chunks) for kind in CLASSES}
            for name, program in chosen.items():
                passed, spent = compare(client, program, arrays, options.rounds)
                found[name][str(size)] = {"client": passed, "processors": spent}
                cells = [show(passed[kind]) for kind in CLASSES]
                print(
                    f"{name:32}{size:>5} MB{cells[0]:>11}{cells[1]:>11}"
                    f"{ratio(passed):>8.2f}{ratio(spent):>12.2f}",
                    flush=True,
                )
    if options.json:
        content = {"machine": machine.describe(), "options": vars(options), "seconds": found}
        options.json.write_text(json.dumps(content, indent=1, default=str) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
