"""Random programs in which the n-th resource asked for fails: `python -m tests.fuzz.faults`.

A program runs once for every n, until no fault is left: each buffer, executable mapping, thread and
device transfer fails once. The error must be NumPy's or a device's; the failed statement is run
again, and flushes are repeated. Then all values must be NumPy's: what was asked for before the
fault is done once or pending, and nothing is lost. Needs a build with debug assertions.
"""

from __future__ import annotations

import argparse
import time
import warnings
from contextlib import nullcontext
from typing import Any

import fastnp
import numpy
from fastnp import _fastnp

from tests.fuzz.generate import NOTHING, REPEATABLE, Program, Surroundings, Writer, compiled
from tests.fuzz.run import MODES, Outcome
from tests.fuzz.surroundings import SURROUNDINGS, released_lock

MOST_FAULTS = 200
# No memory, a device that failed, and an interrupt between two kernels.
FAULTS = (MemoryError, RuntimeError, KeyboardInterrupt)
# Of so many programs one compiles its kernels again for each fault: a new backend knows none.
COMPILING = 4
# Surroundings that are more kinds of statements; the others run programs in ways of their own.
STATEMENTS = [name for name, each in SURROUNDINGS.items() if each.outcome is None]
HOST = str(fastnp.settings()["backend"]["value"])


class FaultyOutcome(Outcome):
    """What fastnp made of a program whose n-th resource fails, if there are so many."""

    def __init__(self, program: Program, n: int) -> None:
        super().__init__(fastnp, program)
        self.left, self.struck = n, False

    def step(self, number: int, statement: str) -> None:
        """Run a statement, with the fault armed where it may run twice, and flush."""
        if REPEATABLE.fullmatch(statement):
            self.attempt(number, statement)
        else:
            super().step(number, statement)
        self.flush()

    def attempt(self, number: int, statement: str) -> None:
        """Run a statement with the fault armed, and again if it struck."""
        _fastnp.arm_fault(self.left)
        try:
            exec(compiled(statement), self.names)
        except (Exception, KeyboardInterrupt) as error:
            known = len(self.errors)
            if not self.disarm():
                self.errors.append(f"{number}: {type(error).__name__}")
                return
            super().step(number, statement)
            # The program's own error comes again; a fault's must be one of these.
            is_own = len(self.errors) > known
            if not is_own and not isinstance(error, FAULTS):
                raise AssertionError(f"{statement}: {error!r} for a fault") from error
        else:
            self.disarm()

    def flush(self) -> None:
        """Flush with the fault armed, and again if it struck."""
        _fastnp.arm_fault(self.left)
        try:
            fastnp.flush()
        except FAULTS:
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


def check(
    seed: int, settings: dict[str, Any], surroundings: Surroundings = NOTHING
) -> tuple[Program, int, str | None]:
    """Run the program of a seed with every fault; how many there were, and the first difference."""
    writer = Writer(seed, surroundings)
    # Without the GIL, a kernel can be interrupted between two of its tasks too.
    released = released_lock() if seed % 2 else nullcontext()
    with numpy.errstate(all="ignore"), surroundings.context(), released:
        program = writer.write()
        for n in range(1, MOST_FAULTS):
            if seed % COMPILING == 0:
                fastnp.settings(backend=HOST)
                fastnp.settings(**settings)
            ours = FaultyOutcome(program, n).run()
            reason = ours.difference(writer)
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
    parser.add_argument("--surroundings", choices=STATEMENTS, default="nothing")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    settings: dict[str, Any] = MODES[arguments.mode]
    fastnp.settings(**settings, pool_limit=0)
    failing, faults, told = [], 0, time.perf_counter()
    for done, seed in enumerate(range(arguments.seed, arguments.seed + arguments.count), 1):
        program, found, reason = check(seed, settings, SURROUNDINGS[arguments.surroundings])
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
