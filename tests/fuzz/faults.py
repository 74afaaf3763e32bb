"""Random programs in which the n-th resource asked for fails: `python -m tests.fuzz.faults`.

A program runs once for every n, until no fault is left: each buffer, executable mapping, thread and
device transfer fails once. The error must be NumPy's or a device's; the failed statement is run
again, and flushes are repeated. Then all values must be NumPy's: what was asked for before the
fault is done once or pending, and nothing is lost. Needs a build with debug assertions.
"""

from __future__ import annotations

import argparse
import re
import time
import warnings
from typing import Any

import fastnp
import numpy
from fastnp import _fastnp

from tests.fuzz.generate import Program, Writer, compiled, names_for
from tests.fuzz.run import MODES, Outcome, first_difference

# A statement that may run twice: one assignment of an expression without a target of its own.
REPEATABLE = re.compile(r"v\d+ = (?!.*(out=|:=|\bfor\b)).*")
MOST_FAULTS = 200


class FaultyOutcome(Outcome):
    """What fastnp made of a program whose n-th resource fails, if there are so many."""

    def __init__(self, statements: list[str], n: int) -> None:
        self.shown, self.errors = [], []
        self.names = names_for(fastnp, lambda x: self.shown.append(numpy.array(x)))
        self.left, self.struck = n, False
        for number, statement in enumerate(statements):
            if REPEATABLE.fullmatch(statement):
                self.attempt(number, statement)
            else:
                self.run(number, statement)
            self.flush()

    def run(self, number: int, statement: str) -> None:
        """Run a statement; its exception is part of the outcome."""
        try:
            exec(compiled(statement), self.names)
        except Exception as error:
            self.errors.append(f"{number}: {type(error).__name__}")

    def attempt(self, number: int, statement: str) -> None:
        """Run a statement with the fault armed, and again if it struck."""
        _fastnp.arm_fault(self.left)
        try:
            exec(compiled(statement), self.names)
        except Exception as error:
            known = len(self.errors)
            if not self.disarm():
                self.errors.append(f"{number}: {type(error).__name__}")
                return
            self.run(number, statement)
            # The program's own error comes again; a fault's must be one of these.
            is_own = len(self.errors) > known
            if not is_own and not isinstance(error, (MemoryError, RuntimeError)):
                raise AssertionError(f"{statement}: {error!r} for a fault") from error
        else:
            self.disarm()

    def flush(self) -> None:
        """Flush with the fault armed, and again if it struck."""
        _fastnp.arm_fault(self.left)
        try:
            fastnp.flush()
        except (MemoryError, RuntimeError):
            self.disarm()
            fastnp.flush()
        else:
            self.disarm()

    def disarm(self) -> bool:
        """Whether the fault has struck since it was armed; if not, how far away it is now."""
        if self.struck:
            return False
        self.left = _fastnp.arm_fault(0)
        self.struck = self.left == 0
        return self.struck


def check(seed: int) -> tuple[Program, int, str | None]:
    """Run the program of a seed with every fault; how many there were, and the first difference."""
    writer = Writer(seed)
    with numpy.errstate(all="ignore"):
        program = writer.write()
        for n in range(1, MOST_FAULTS):
            ours = FaultyOutcome(program.statements, n)
            reason = first_difference(ours, writer, program.inexact)
            if reason:
                return program, n, f"fault {n}: {reason}"
            if not ours.struck:
                return program, n - 1, None
    return program, MOST_FAULTS, None


def main() -> int:
    """Run the programs of a range of seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--mode", choices=MODES, default="lazy", help="engine settings")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    settings: dict[str, Any] = MODES[arguments.mode]
    fastnp.settings(**settings, pool_limit=0)
    failing, faults, told = [], 0, time.perf_counter()
    for done, seed in enumerate(range(arguments.seed, arguments.seed + arguments.count), 1):
        program, found, reason = check(seed)
        faults += found
        if reason:
            failing.append(seed)
            print(f"seed {seed}: {reason}\n{program.script()}", flush=True)
        if time.perf_counter() - told > 10 or done == arguments.count:
            told = time.perf_counter()
            print(f"{done} programs, {faults} faults, {len(failing)} failed", flush=True)
    return int(bool(failing))


if __name__ == "__main__":
    raise SystemExit(main())
