"""Run a program under both modules, report the first difference, and shrink a failing program.

Leaves writing programs to `generate`. A difference is one line of text that names the variable.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from typing import Any, Self

import fastnp
import numpy

from tests.compare import difference
from tests.fuzz.generate import NOTHING, Program, Surroundings, Writer, compiled, names_for

# Functions are within a few ulp, and float32 sums over some thousand terms lose a few digits.
TOLERANCE = {"f": 2e-4, "d": 1e-10, "e": 3e-2, "F": 2e-4, "D": 1e-10}

# The engine's settings by mode: the defaults; no eager execution, so that small programs fuse as
# large ones do; a flush after each operation, which tells wrong kernels from wrong recording; one
# thread; the mock device, which has separate memory.
MODES: dict[str, dict[str, Any]] = {
    "default": {},
    "lazy": {"tiny": 0},
    "eager": {"tiny": 0, "eager": 1},
    "serial": {"tiny": 0, "num_threads": 1},
    "mock": {"tiny": 0, "backend": "mock"},
}


class Outcome:
    """The state that a program leaves under one module."""

    def __init__(self, module: Any, program: Program) -> None:
        self.program = program
        self.shown: list[Any] = []
        self.errors: list[str] = []
        show = lambda x: self.shown.append(numpy.array(x))  # noqa: E731
        self.names = names_for(module, show, program.surroundings)

    def run(self, *, delete_dead: bool = False) -> Self:
        """Run all statements. With `delete_dead` variables are deleted after their last use."""
        statements = self.program.statements
        last = {v: n for n, s in enumerate(statements) for v in re.findall(r"\bv\d+\b", s)}
        for number, statement in enumerate(statements):
            self.step(number, statement)
            for name in [v for v, n in last.items() if delete_dead and n == number]:
                self.names.pop(name, None)
        return self

    def step(self, number: int, statement: str) -> None:
        """Run a statement; its exception is part of the outcome."""
        try:
            exec(compiled(statement), self.names)
        except Exception as error:
            self.errors.append(f"{number}: {type(error).__name__}")

    def difference(self, theirs: Outcome | Writer) -> str | None:
        """The first difference from the outcome under NumPy."""
        return first_difference(self, theirs, self.program.inexact)


def check(seed: int, surroundings: Surroundings = NOTHING) -> tuple[Program, str | None]:
    """Write the program of a seed, run it under fastnp, and compare."""
    writer = Writer(seed, surroundings)
    with numpy.errstate(all="ignore"):
        program = writer.write()
        return program, recheck(program, writer)


def recheck(program: Program, theirs: Outcome | Writer | None = None) -> str | None:
    """Run a program under both modules, or compare with a given outcome under NumPy.

    The first run deletes variables after their last use. So the engine expects results to die
    unread (dead-result elimination), and does not store them in the next runs, which read them.
    """
    with numpy.errstate(all="ignore"):
        if theirs is None:
            theirs = Outcome(numpy, program).run()
        outcome = program.surroundings.outcome or Outcome
        Outcome(fastnp, program).run(delete_dead=True)
        for _ in range(2):
            reason = outcome(fastnp, program).run().difference(theirs)
            if reason:
                return reason
    return None


def first_difference(ours: Outcome, theirs: Outcome | Writer, inexact: set[str]) -> str | None:
    """The first difference of the outcomes: exceptions, shown values, variables, aliasing."""
    if ours.errors != theirs.errors:
        return f"exceptions: {ours.errors} instead of {theirs.errors}"
    for number, (our, their) in enumerate(zip(ours.shown, theirs.shown)):
        found = unlike(our, their, f"show number {number}", inexact=False, converted=True)
        if found:
            return found
    arrays = []
    for name, their in theirs.names.items():
        if not name.startswith("v") or isinstance(their, bool):
            continue
        if name not in ours.names:
            return f"{name}: not defined"
        found = unlike(ours.names[name], their, name, inexact=name in inexact)
        if found:
            return found
        if isinstance(their, numpy.ndarray) and their.size:
            arrays.append(name)
    for a, b in combinations(arrays, 2):
        if numpy.shares_memory(theirs.names[a], theirs.names[b]):
            if not fastnp.shares_memory(ours.names[a], ours.names[b]):
                return f"aliasing: {a} and {b} should share memory"
        elif fastnp.shares_memory(ours.names[a], ours.names[b]):
            return f"aliasing: {a} and {b} should not share memory"
    return None


def unlike(
    ours: Any, theirs: Any, where: str, *, inexact: bool, converted: bool = False
) -> str | None:
    """The difference of one variable; equal bytes need no comparison of values."""
    if isinstance(theirs, numpy.ndarray) and (converted or isinstance(ours, fastnp.ndarray)):
        if ours.dtype == theirs.dtype and tuple(ours.shape) == theirs.shape:
            if numpy.asarray(ours).tobytes() == theirs.tobytes():
                return None
        elif converted:
            return f"{where}: {ours.dtype}{ours.shape} instead of {theirs.dtype}{theirs.shape}"
    rtol = 0.0
    if inexact and hasattr(theirs, "dtype"):
        rtol = TOLERANCE.get(theirs.dtype.char, 0.0)
        if theirs.dtype.kind == "c" and getattr(ours, "dtype", None) == theirs.dtype:
            ours, theirs = fastnp.asarray(finite_or_zero(ours)), finite_or_zero(theirs)
    if converted:
        ours = fastnp.asarray(ours)
    found = difference(ours, theirs, rtol=rtol, where=where)
    # Where terms cancel, errors are relative to the terms (of size one), not to the result.
    if found and rtol and "values differ" in found:
        near = numpy.isclose(numpy.asarray(ours), theirs, rtol=rtol, atol=rtol, equal_nan=True)
        return None if near.all() else found
    return found


def finite_or_zero(value: Any) -> numpy.ndarray:
    """Complex values, zero where not finite: which part overflows depends on the order of terms."""
    array = numpy.atleast_1d(numpy.array(value))
    array[~numpy.isfinite(array)] = 0
    return array


def shrunk(program: Program, reason: str) -> Program:
    """The program without the statements that its failure does not need (delta debugging)."""
    where = reason.split(":")[0]
    statements = list(program.statements)
    size = max(1, len(statements) // 2)
    while True:
        number, cut = len(statements) - size, False
        while number >= 0:
            fewer = statements[:number] + statements[number + size :]
            found = recheck(replace(program, statements=fewer))
            if found and found.split(":")[0] == where and "NameError" not in found:
                statements, cut = fewer, True
            number -= 1 if not cut else size
        if size == 1 and not cut:
            return replace(program, statements=statements)
        size = max(1, size // 2) if not cut else size
        if size > len(statements):
            size = max(1, len(statements) // 2)


def explained(program: Program, reason: str) -> str:
    """A report of a failure: the seed, the difference, and a script that shows it."""
    small = shrunk(program, reason)
    return f"seed {program.seed}: {recheck(small) or reason}\n\n{small.script()}"
