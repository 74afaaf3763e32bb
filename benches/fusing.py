"""Random programs as planned, beside the same without fusion: `python -m benches.fusing`.

A program is a few statements over large arrays: elementwise operations of operands of several
shapes and memory orders, reductions along an axis or of everything, choices by a mask, updates in
place. It runs as it is, and with each statement evaluated at once, as if there was no fusion. Both
take turns, on one thread; a figure is the lower quartile of the times of the processor, which
others on the machine change little. Programs in which the plan takes more than `--limit` times as
long are measured again, and printed if they still do.
"""

from __future__ import annotations

import os

# One thread. The engine reads this when it is imported.
os.environ["FASTNP_NUM_THREADS"] = "1"

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import fastnp
import numpy

from benches.turns import take_turns

UNARY = (
    "np.sqrt(np.abs({}))",
    "np.exp(-np.abs({}))",
    "{} * {}",
    "np.abs({})",
    "1.5 - {}",
    "np.sin({})",
)
BINARY: tuple[str, ...] = (
    "{} + {}",
    "{} - {}",
    "{} * {}",
    "np.maximum({}, {})",
    "{} / (np.abs({}) + 1)",
)
BINARY += ("np.where({} > 0.5, {}, 0.25)",)
FOLDS = ("sum", "mean", "max", "min", "std", "var")
# Rows and columns of the arrays, from the cache of a core to memory.
SHAPES: tuple[tuple[int, int], ...] = (
    (100, 300),
    (300, 100),
    (1000, 300),
    (300, 1000),
    (1000, 1000),
    (4000, 100),
    (20000, 8),
)
SHAPES += ((2000, 2000), (40000, 50), (200, 10000))


class Writer:
    """Appends statements to a program. Variables are whole arrays, rows, columns or numbers."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.shape = self.random.choice(SHAPES)
        self.is_transposed = self.random.random() < 0.2
        self.lines: list[str] = []
        self.whole = ["a", "b", "c"]
        self.others = ["row", "column"]
        for _ in range(self.random.randint(3, 9)):
            self.random.choice(
                [self.elementwise, self.elementwise, self.fold, self.update, self.selection]
            )()

    def add(self, expression: str, to: list[str]) -> None:
        """A new variable."""
        name = f"v{len(self.lines)}"
        self.lines.append(f"{name} = {expression}")
        to.append(name)

    def operand(self) -> str:
        """A whole array, more often than one that broadcasts."""
        if self.random.random() < 0.3:
            return self.random.choice(self.others)
        return self.random.choice(self.whole[-3:] + ["a"])

    def elementwise(self) -> None:
        """One to three operations of a whole array and other operands."""
        text = self.random.choice(self.whole[-3:])
        for _ in range(self.random.randint(1, 3)):
            form = self.random.choice(UNARY + BINARY)
            is_unary = form in UNARY
            parts = [text] * form.count("{}") if is_unary else [text, self.operand()]
            text = f"({form.format(*parts)})"
        self.add(text, self.whole)

    def fold(self) -> None:
        """A reduction that later statements may use."""
        what = self.random.choice(FOLDS)
        axis = self.random.choice(["0, keepdims=True", "1, keepdims=True", "None, keepdims=True"])
        self.add(f"{self.random.choice(self.whole)}.{what}(axis={axis})", self.others)

    def update(self) -> None:
        """An update in place of a variable of the program."""
        own = [name for name in self.whole if name.startswith("v")]
        if own:
            target = self.random.choice(own)
            part = self.random.choice(["[:]", "[1:]", "[:, 1:]", "[::2]"])
            other = self.random.choice(self.whole)
            self.lines.append(f"{target}{part} {self.random.choice('+-*')}= {other}{part}")

    def selection(self) -> None:
        """A mean of what a mask selects."""
        x = self.random.choice(self.whole)
        self.add(f"np.where({x} > {self.random.choice(self.whole)}, {x}, 0.0)", self.whole)


def arrays(shape: tuple[int, int], is_transposed: bool) -> dict[str, Any]:
    """The operands of a program, evaluated."""
    random = numpy.random.default_rng(0)
    made = {name: fastnp.array(random.random(shape)) for name in "abc"}
    if is_transposed:
        made["c"] = fastnp.array(random.random(shape[::-1])).T
    made["row"] = fastnp.array(random.random((1, shape[1])))
    made["column"] = fastnp.array(random.random((shape[0], 1)))
    fastnp.eval(*made.values())
    return made


def functions(program: Writer) -> dict[str, Callable[[dict[str, Any]], float]]:
    """The program as functions that return their seconds: fused, and statement by statement."""
    results = [line.split(" = ")[0] for line in program.lines if " = " in line]
    # What a caller would keep: the last whole array and the last reduction.
    kept = [name for name in (program.whole[-1], program.others[-1]) if name in results]
    arguments = "a, b, c, row, column"
    made: dict[str, Callable[[dict[str, Any]], float]] = {}
    for name, is_fused in (("fused", True), ("one by one", False)):
        lines = []
        for line in program.lines:
            target = line.split(" ")[0].split("[")[0]
            lines += [line] if is_fused else [line, f"np.eval({target})"]
        body = "\n    ".join([*lines, f"np.eval({', '.join(kept)})" if kept else "np.flush()"])
        names: dict[str, Any] = {"np": fastnp}
        exec(f"def run({arguments}):\n    {body}\n", names)

        def timed(values: dict[str, Any], run: Any = names["run"]) -> float:
            # A reduction of an array that has not changed since is remembered.
            for value in values.values():
                value[:1] += 0.0
            fastnp.eval(*values.values())
            start = time.process_time()
            run(**values)
            return time.process_time() - start

        made[name] = timed
    return made


def ratio(program: Writer, rounds: int) -> float:
    """The time of the plan over that of the statements one by one."""
    values, runs = arrays(program.shape, program.is_transposed), functions(program)
    measures = {name: partial(run, values) for name, run in runs.items()}
    for measure in [*measures.values()] * 3:
        measure()
    times = take_turns(measures, rounds)
    fused, alone = (statistics.quantiles(times[name], n=4)[0] for name in ("fused", "one by one"))
    return fused / alone


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--limit", type=float, default=1.05)
    arguments = parser.parse_args()
    ratios, slow = [], 0
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        program = Writer(seed)
        if not program.lines:
            continue
        found = ratio(program, arguments.rounds)
        if found > arguments.limit:
            found = min(found, ratio(program, 4 * arguments.rounds))
        ratios.append(found)
        if found > arguments.limit:
            slow += 1
            c = ", c is transposed" if program.is_transposed else ""
            print(
                f"seed {seed}, {program.shape}{c}: {found:.2f}",
                *program.lines,
                sep="\n    ",
                flush=True,
            )
    print(
        f"{len(ratios)} programs: the plan takes {statistics.median(ratios):.2f} of the time"
        f" without fusion (median), {max(ratios):.2f} at most; {slow} above {arguments.limit}"
    )


if __name__ == "__main__":
    main()
