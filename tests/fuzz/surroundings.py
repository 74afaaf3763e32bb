"""What happens around a program while it runs, beside the engine's settings (`run.MODES`).

Some surroundings are more kinds of statements (`foreign`, `finalizers`), some another way to run
the statements, defined here. In all of them values are NumPy's.
"""

from __future__ import annotations

import contextvars
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, Self

import fastnp
import numpy
from fastnp import _fastnp

from tests.fuzz import finalizers, foreign
from tests.fuzz.generate import NOTHING, REPEATABLE, Program, Surroundings, Writer
from tests.fuzz.run import Outcome

# --- interrupts -----------------------------------------------------------------------------------

PACKAGE = str(Path(fastnp.__file__).parent)
# One write to an array, or to a part of it.
WRITE = re.compile(r"(?![^=]*\], )(v\d+)(\[[^=]*\] [^ ]*=| [^ ]+=) (?!.*(out=|:=|\bfor\b)).*")
# Statements of one operation take a few instructions of the interpreter, functions hundreds.
MOST_INSTRUCTIONS = 300


class InterruptedOutcome(Outcome):
    """A program whose statements are interrupted before some instruction of the interpreter, in
    the statement or in a function of the package that it calls.

    The instruction is drawn by the program's seed, where a signal would come at any. Its handler
    uses arrays and returns, or raises `KeyboardInterrupt`. Then the statement is run again, unless
    it is one write that was done: an interrupted write is done or is not.
    """

    def __init__(self, module: Any, program: Program) -> None:
        super().__init__(module, program)
        self.random = Random(program.seed)
        self.left = 0

    def step(self, number: int, statement: str) -> None:
        """Run a statement, and again if it was interrupted."""
        self.left = int(MOST_INSTRUCTIONS ** self.random.random())
        write = WRITE.fullmatch(statement)
        target = self.names.get(write[1]) if write and self.random.random() < 0.5 else None
        is_write = isinstance(target, fastnp.ndarray)
        before = numpy.array(target) if is_write else None
        self.raises = is_write or bool(REPEATABLE.fullmatch(statement))
        self.raises = self.raises and self.random.random() < 0.7
        sys.settrace(self.trace)
        try:
            super().step(number, statement)
        except KeyboardInterrupt:
            sys.settrace(None)
            if before is None or before.tobytes() == numpy.array(target).tobytes():
                super().step(number, statement)
        finally:
            sys.settrace(None)

    def trace(self, frame: FrameType, event: str, _: Any) -> Any:
        """Trace the instructions of the program and of the package."""
        if not frame.f_code.co_filename.startswith(("<program>", PACKAGE)):
            return None
        frame.f_trace_opcodes = True
        return self.count

    def count(self, frame: FrameType, event: str, _: Any) -> Any:
        """Interrupt before the instruction that was drawn."""
        if event == "opcode":
            self.left -= 1
            if self.left == 0 and self.raises:
                raise KeyboardInterrupt
            if self.left == 0:
                self.handle()
        return self.count

    def handle(self) -> None:
        """What a handler of signals does that uses arrays."""
        for array in [a for a in self.names.values() if isinstance(a, fastnp.ndarray)][-3:]:
            finalizers.compute(fastnp, array)


# --- threads --------------------------------------------------------------------------------------

THREADS = 3


class Shared:
    """Arrays that threads read, made once and pending at first."""

    def __init__(self, module: Any) -> None:
        base = module.arange(24.0)
        floats, integers = base * 3 % 7 - 2, (base * 5 % 11).astype("i8")
        self.arrays = [floats, integers, floats.reshape(4, 6) + integers[:6], integers[::2] > 4]
        self.arrays.append(module.arange(6000.0) * 7 % 13 - 6)
        for array in self.arrays:
            array.flags.writeable = False

    def __call__(self, number: int) -> Any:
        return self.arrays[number]


def share(w: Writer) -> None:
    """Name an array that other threads read too, or what is computed from it."""
    forms = ["shared({})", "shared({})[::-1]", "shared({}) + shared({})", "shared({})[1:] * 2"]
    w.define(w.pick(forms).replace("{}", str(w.random.randrange(4 + w.large))))


class ThreadedOutcome(Outcome):
    """A program that several threads run at once, with variables of their own."""

    def run(self, *, delete_dead: bool = False) -> Self:
        """Run the program in all threads."""
        self.others = [Outcome(self.names["np"], self.program) for _ in range(THREADS - 1)]
        for other in self.others:
            other.names["shared"] = self.names["shared"]
        runs = [super().run, *(other.run for other in self.others)]
        with ThreadPoolExecutor(THREADS) as pool:
            # With the error state of this thread.
            futures = [pool.submit(contextvars.copy_context().run, run) for run in runs]
        for future in futures:
            future.result()
        return self

    def difference(self, theirs: Outcome | Writer) -> str | None:
        """The first difference in any thread."""
        found = [super().difference(theirs), *(other.difference(theirs) for other in self.others)]
        return next((reason for reason in found if reason), None)


@contextmanager
def switched_on(switch: Callable[[bool], None]) -> Iterator[None]:
    """Turn a debug switch of the engine on, and off again at the end."""
    switch(True)
    try:
        yield
    finally:
        switch(False)


# Compute without the GIL, however short.
released_lock = partial(switched_on, _fastnp.release_always)


@contextmanager
def frequent_switches() -> Iterator[None]:
    """Switch threads as often as the interpreter can, and compute without the GIL."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with released_lock():
            yield
    finally:
        sys.setswitchinterval(interval)


# --- forks ----------------------------------------------------------------------------------------


def fork(w: Writer) -> None:
    """Fork, with whatever is pending."""
    w.run("fork()")


@contextmanager
def working_threads() -> Iterator[None]:
    """Let the engine have threads of its own before the first fork, which its child has not."""
    compute_in_threads()
    yield


def compute_in_threads() -> None:
    """Run a kernel that is long enough for the engine's threads."""
    values = fastnp.sin(fastnp.ones(1 << 17))
    assert float(values[0]) == float(values[-1])


class ForkedOutcome(Outcome):
    """A program that forks: parent and child both run the rest of it, and both compare."""

    def __init__(self, module: Any, program: Program) -> None:
        super().__init__(module, program)
        self.names["fork"] = self.fork
        # Of each child its process and what it reports by; in a child, what it reports by itself.
        self.children: list[tuple[int, int]] = []
        self.report: int | None = None

    def fork(self) -> None:
        """Fork once."""
        if self.children or self.report is not None:
            return
        reader, writer = os.pipe()
        child = os.fork()
        if child:
            os.close(writer)
            self.children.append((child, reader))
        else:
            self.report = writer

    def run(self, *, delete_dead: bool = False) -> Self:
        """Run the program; a child never leaves this but by its end."""
        try:
            return super().run(delete_dead=delete_dead)
        except BaseException:
            self.end_child(traceback.format_exc())
            raise

    def difference(self, theirs: Outcome | Writer) -> str | None:
        """The first difference, in this process or in a child."""
        try:
            compute_in_threads()
            reason = super().difference(theirs)
        except BaseException:
            self.end_child(traceback.format_exc())
            raise
        self.end_child(reason or "")
        for child, reader in self.children:
            with open(reader, encoding="utf-8") as file:
                found = file.read()
            status = os.waitpid(child, 0)[1]
            if found or status:
                reason = reason or f"child: {found} (status {status})"
        return reason

    def end_child(self, text: str) -> None:
        """In a child: report and exit."""
        if self.report is not None:
            os.write(self.report, text.encode())
            os._exit(0)


# --- guard pages ----------------------------------------------------------------------------------

# Put the engine's memory between pages without access.
guarded_blocks = partial(switched_on, _fastnp.guard_blocks)


# --- blocks ---------------------------------------------------------------------------------------

# Compose kernels over small arrays too.
small_blocks = partial(switched_on, _fastnp.compose_small)


# --- inlining -------------------------------------------------------------------------------------


@contextmanager
def inlined() -> Iterator[None]:
    """Inline and merge whatever may be, in kernels of any size."""
    _fastnp.set_fusion("everything")
    try:
        yield
    finally:
        _fastnp.set_fusion("searched")


# --- the table ------------------------------------------------------------------------------------


def prepare_shared(names: dict[str, Any]) -> None:
    """Add what threads share."""
    names["shared"] = Shared(names["np"])


def prepare_fork(names: dict[str, Any]) -> None:
    """Add a fork that does nothing, as under NumPy."""
    names["fork"] = lambda: None


SURROUNDINGS = {
    surroundings.name: surroundings
    for surroundings in (
        NOTHING,
        # Signals at any moment, whose handlers raise or use arrays.
        Surroundings("interrupts", outcome=InterruptedOutcome),
        # Threads that run the same program at once and read the same arrays.
        Surroundings("threads", (share,), prepare_shared, ThreadedOutcome, frequent_switches),
        # Operands in memory of NumPy, ctypes, files: it is written between statements.
        Surroundings("foreign", foreign.FOREIGN, foreign.prepare),
        # Arrays handed out to NumPy by any protocol, which writes and reads them.
        Surroundings("exported", foreign.EXPORTED, foreign.prepare),
        # Addresses that compiled code took from the headers of arrays; small arrays have no guarded
        # ones.
        Surroundings("compiled", foreign.COMPILED, foreign.prepare, large=0.25),
        # Memory that is reached by weak references alone.
        Surroundings("weakrefs", foreign.WEAK, foreign.prepare),
        # Finalizers that write and read arrays, and garbage.
        Surroundings(
            "finalizers",
            finalizers.KINDS,
            finalizers.prepare,
            context=finalizers.frequent_collections,
        ),
        # Forks with pending work.
        Surroundings("forks", (fork,), prepare_fork, ForkedOutcome, working_threads),
        # Operands and results beside pages that must not be touched.
        Surroundings("guarded", foreign.BESIDE_GUARDS, foreign.prepare, context=guarded_blocks),
        # Kernels that run block by block, which small arrays never have.
        Surroundings("blocks", context=small_blocks),
        # Kernels that the plan search changes, which the model would leave as they are.
        Surroundings("inlined", context=inlined),
    )
}
