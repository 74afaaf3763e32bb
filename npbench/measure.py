"""
Measure one kernel under several frameworks, side by side.

Every framework has its own worker process. Each first makes one cold and one warm call, whose
outputs are compared; then they take turns in rounds until the budget is spent. The order A B B A
cancels a linear drift of the machine's speed. Medians are taken over all rounds. Leaves what a
worker does to `worker`, and evaluation to `report`.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from npbench.agreement import Agreement, compare, worse
from npbench.kernel import Kernel
from npbench.session import Session, WorkerFailed

# The length of a turn. It is long compared to waking the process and filling the caches, and short
# compared to the time in which the load of a shared machine changes.
TURN_SECONDS = 0.05
# The pause before a turn. Idle threads of a BLAS spin for up to a tenth of a second after their
# last product, and take a core from the next framework: 1000 × 1200 × 1100 doubles take two threads
# of the next process 34 ms after 0.06 s, and 26 after 0.12, as alone (Zen 4, OpenBLAS 0.3).
PAUSE_SECONDS = 0.12
# How long calls are made before any is timed: loops are compiled once they have taken as long as
# compiling them would, up to a fifth of a second of calls for NPBench's kernels.
WARM_SECONDS = 0.4
# The most timed calls: further calls hardly change the median.
ENOUGH_CALLS = 60
# If one round would take more than this many budgets, the second call is the measurement.
MOST_BUDGETS = 4.0


@dataclass(frozen=True)
class Framework:
    """A module to bind to `np`, and the name it goes by in the report."""

    label: str
    module: str


@dataclass(frozen=True)
class Settings:
    """How long to measure: `repeat` calls a framework, or as many as fit in `budget` seconds."""

    preset: str
    suite: Path | None
    repeat: int | None
    budget: float
    timeout: float


@dataclass
class Outcome:
    """The results of one framework on one kernel; None for each step that it did not reach."""

    label: str
    module: str
    status: str = "ok"
    error: str | None = None
    traceback: str | None = None
    version: str | None = None
    import_seconds: float | None = None
    input_bytes: int | None = None
    first_seconds: float | None = None
    median_seconds: float | None = None
    seconds: list[float] = field(default_factory=list)
    agreement: Agreement | None = None
    fallbacks: dict[str, int] | None = None
    compiled: int | None = None
    peak_bytes: int | None = None
    growth_bytes: int | None = None


@dataclass
class Measurement:
    """One kernel at one preset under every framework; the first one is the reference."""

    kernel: str
    preset: str
    sizes: dict[str, Any]
    outcomes: list[Outcome]


@dataclass
class Runner:
    """A worker with its outcome, the seconds of a recent call, and the outputs to compare with."""

    session: Session
    outcome: Outcome
    scratch: Path
    reference: Path | None
    norm_tolerance: float | None
    call_seconds: float = 0.0

    @property
    def alive(self) -> bool:
        """Whether the worker can take further requests."""
        return self.outcome.status == "ok"

    def attempt(self, step: Callable[[Runner], None]) -> None:
        """Run a step; a failure is recorded and not raised."""
        if not self.alive:
            return
        try:
            step(self)
        except WorkerFailed as failure:
            self.outcome.status = failure.status
            self.outcome.error = failure.summary
            self.outcome.traceback = failure.detail

    def checked_call(self, name: str) -> dict[str, Any]:
        """One call whose outputs are compared with the reference and then deleted."""
        if self.reference is None:
            return self.session.request("call", save=None)
        folder = self.scratch / name
        reply = self.session.request("call", save=str(folder))
        if self.reference.is_dir():
            found = compare(self.reference, folder, self.norm_tolerance)
            known = self.outcome.agreement
            self.outcome.agreement = found if known is None else worse(known, found)
        shutil.rmtree(folder)
        return reply


def measure(kernel: Kernel, frameworks: Sequence[Framework], settings: Settings) -> Measurement:
    """Measure `kernel`; failures of a framework are part of the result."""
    start = time.monotonic()
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="npbench-")))
        runners = []
        for index, framework in enumerate(frameworks):
            spec = {
                "kernel": kernel.name,
                "suite": None if settings.suite is None else str(settings.suite),
                "framework": framework.module,
                "preset": settings.preset,
            }
            session = stack.enter_context(Session(spec, settings.timeout))
            outcome = Outcome(framework.label, framework.module)
            reference = scratch / "reference" if index else None
            tolerance = kernel.norm_tolerances.get(settings.preset)
            runners.append(Runner(session, outcome, scratch / str(index), reference, tolerance))
        for runner in runners:
            runner.attempt(prepare)
        keep = scratch / "reference" if len(runners) > 1 else None
        for runner in runners:
            runner.attempt(lambda r: first_calls(r, keep))
        take_turns(runners, settings, start)
        for runner in runners:
            if runner.reference is not None and runner.call_seconds < settings.budget / 4:
                runner.attempt(last_call)
    outcomes = [runner.outcome for runner in runners]
    return Measurement(kernel.name, settings.preset, kernel.sizes(settings.preset), outcomes)


def prepare(runner: Runner) -> None:
    """Load the framework, the kernel and its inputs."""
    reply = runner.session.request("prepare")
    runner.outcome.version = reply["version"]
    runner.outcome.import_seconds = reply["import_seconds"]
    runner.outcome.input_bytes = reply["input_bytes"]


def first_calls(runner: Runner, keep: Path | None) -> None:
    """
    The cold call, with its counters and its memory, and a warm one.

    The reference saves its outputs in `keep`; those of the others are compared with them.
    """
    outcome = runner.outcome
    if runner.reference is None:
        reply = runner.session.request("call", save=None if keep is None else str(keep))
    else:
        reply = runner.checked_call("first")
    outcome.first_seconds = reply["seconds"]
    outcome.fallbacks = reply["fallbacks"]
    outcome.compiled = reply["compiled"]
    outcome.peak_bytes = reply["peak_bytes"]
    outcome.growth_bytes = reply["growth_bytes"]
    # The outputs of the second call are compared too: it is the first that may use the engine's
    # caches.
    runner.call_seconds = runner.checked_call("second")["seconds"]


def take_turns(runners: Sequence[Runner], settings: Settings, start: float) -> None:
    """Rounds of timed calls until the budget is spent or there are enough calls."""
    for runner in runners:
        runner.attempt(warm)
    alive = [runner for runner in runners if runner.alive]
    round_seconds = 2 * sum(runner.call_seconds for runner in alive)
    if settings.repeat is None and round_seconds > MOST_BUDGETS * settings.budget:
        for runner in alive:
            runner.outcome.seconds.append(runner.call_seconds)
    else:
        wanted = settings.repeat or ENOUGH_CALLS
        while any(len(r.outcome.seconds) < wanted for r in alive):
            for runner in (*alive, *reversed(alive)):
                runner.attempt(lambda r: turn(r, wanted))
            alive = [runner for runner in alive if runner.alive]
            spent = time.monotonic() - start
            if settings.repeat is None and spent > settings.budget:
                break
    for runner in runners:
        if runner.outcome.seconds:
            runner.outcome.median_seconds = statistics.median(runner.outcome.seconds)


def warm(runner: Runner) -> None:
    """Calls that are not timed, so that compilers that wait until code has run often have it."""
    count = int(WARM_SECONDS / max(runner.call_seconds, 1e-6))
    if count:
        runner.session.request("calls", count=count)


def turn(runner: Runner, wanted: int) -> None:
    """Timed calls of one worker: as many as fit in a turn, up to `wanted` in all turns."""
    missing = wanted - len(runner.outcome.seconds)
    if missing <= 0:
        return
    time.sleep(PAUSE_SECONDS)
    fitting = int(TURN_SECONDS / max(runner.call_seconds, 1e-6))
    reply = runner.session.request("calls", count=max(1, min(fitting, missing, wanted // 4)))
    runner.outcome.seconds += reply["seconds"]
    runner.call_seconds = statistics.median(reply["seconds"])


def last_call(runner: Runner) -> None:
    """One more call, whose outputs are compared after all caches are filled."""
    runner.checked_call("last")
