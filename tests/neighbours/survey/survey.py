"""Run the programs of a library under both modules, each in a process of its own, and compare.

If a process crashes or hangs, the program that it ran has failed, and a new process runs the rest.
"""

from __future__ import annotations

import importlib.util
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.neighbours.survey.differences import difference
from tests.neighbours.survey.record import Record
from tests.neighbours.survey.worker import folder as library_folder

ROOT = Path(__file__).resolve().parents[3]
# Seconds without an event after which a program counts as hung: more than any library's import.
PATIENCE = 240.0

SAME, DIFFERS, REFUSED, CRASHED = "same", "differs", "refused", "crashed"
# A program that fails under NumPy, and one that needs another package.
BROKEN, ABSENT = "broken", "absent"


@dataclass
class Finding:
    """What became of one program: one of the words above, and a message unless the same."""

    program: str
    outcome: str
    message: str = ""


@dataclass
class Result:
    """A library's findings."""

    library: str
    version: str = ""
    absent: str = ""
    findings: list[Finding] = field(default_factory=list)

    def count(self, outcome: str) -> int:
        """How many programs ended so."""
        return sum(finding.outcome == outcome for finding in self.findings)


@dataclass
class _Ran:
    """What a library's programs gave under one module."""

    version: str = ""
    absent: str = ""
    rtol: dict[str, float] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    crashes: dict[str, str] = field(default_factory=dict)


def libraries() -> list[str]:
    """The names of all files of programs."""
    return sorted(p.stem for p in library_folder().glob("*.py") if not p.stem.startswith("_"))


def survey(library: str, wanted: list[str] | None = None) -> Result:
    """Run a library's programs, or those that are wanted, under both modules."""
    missing = _missing(library)
    if missing:
        return Result(library, absent=f"no module {missing!r}")
    theirs = _run(library, "numpy", wanted or [])
    if theirs.absent or not theirs.rtol:
        reason = theirs.absent or "; ".join(theirs.crashes.values())
        return Result(library, absent=reason)
    ours = _run(library, "fastnp", wanted or [])
    result = Result(library, theirs.version)
    for name in wanted or theirs.rtol:
        result.findings.append(_judged(name, ours, theirs))
    for name, crash in ours.crashes.items():
        if name not in theirs.rtol and name not in theirs.crashes:
            result.findings.append(Finding(name, CRASHED, crash))
    return result


def _missing(library: str) -> str:
    """The first package that a file of programs imports and that is not installed."""
    for line in (library_folder() / f"{library}.py").read_text(encoding="utf-8").splitlines():
        found = re.match(r"(?:import|from) (\w+)", line)
        if found and importlib.util.find_spec(found[1]) is None:
            return found[1]
    return ""


def _judged(name: str, ours: _Ran, theirs: _Ran) -> Finding:
    """The finding on one program."""
    expected = theirs.records.get(name)
    if expected is None:
        return Finding(name, BROKEN, f"under NumPy: {theirs.crashes.get(name, 'did not run')}")
    if expected.error and expected.error[0].endswith(("ModuleNotFoundError", "ImportError")):
        return Finding(name, ABSENT, expected.error[1])
    if expected.error:
        return Finding(name, BROKEN, f"under NumPy: {': '.join(expected.error)}")
    found = ours.records.get(name)
    if found is None:
        return Finding(name, CRASHED, ours.crashes.get(name, ours.absent or "did not run"))
    if found.error:
        return Finding(name, REFUSED, ": ".join(found.error))
    message = difference(found, expected, theirs.rtol[name])
    return Finding(name, DIFFERS, message) if message else Finding(name, SAME)


def _run(library: str, module: str, wanted: list[str]) -> _Ran:
    """Run the programs under one module, in as many processes as crashes make necessary."""
    ran, left = _Ran(), list(wanted)
    while True:
        unfinished = _one_process(ran, library, module, left)
        names = wanted or list(ran.rtol)
        left = names[names.index(unfinished) + 1 :] if unfinished in names else []
        if not left:
            return ran


def _one_process(ran: _Ran, library: str, module: str, names: list[str]) -> str | None:
    """Run one process, add what it gave, and give the program that it did not finish."""
    with tempfile.TemporaryDirectory(prefix="survey-") as folder:
        events = Path(folder) / "events"
        events.touch()
        scratch = Path(folder) / "cwd"
        scratch.mkdir()
        worker = "tests.neighbours.survey.worker"
        with (Path(folder) / "stderr").open("wb") as stderr:
            process = subprocess.Popen(
                [sys.executable, "-m", worker, library, module, str(events), *names],
                cwd=scratch,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                start_new_session=True,
            )
            ended = _wait(process, events)
        current: str | None = None
        for kind, *details in _read(events):
            if kind == "absent":
                ran.absent = details[0]
            elif kind == "library":
                ran.version, ran.rtol = details
            elif kind == "began":
                current = details[0]
            else:
                ran.records[details[0]] = details[1]
                current = None
        if ended:
            lines = (Path(folder) / "stderr").read_text(errors="replace").strip().splitlines()
            place = current or ("exit" if ran.rtol else "import")
            ran.crashes[place] = f"{ended} {lines[-1] if lines else ''}".strip()
        return current


def _wait(process: subprocess.Popen[bytes], events: Path) -> str:
    """Wait for a process, and say how it ended unless it ended well."""
    size, since = 0, time.monotonic()
    while process.poll() is None:
        if events.stat().st_size != size:
            size, since = events.stat().st_size, time.monotonic()
        if time.monotonic() - since > PATIENCE:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return f"hung for {PATIENCE:.0f} s"
        time.sleep(0.02)
    code = process.returncode
    if code < 0:
        return signal.Signals(-code).name
    return f"exit status {code}:" if code else ""


def _read(events: Path) -> list[tuple[Any, ...]]:
    """The events of a file; an incomplete last one is left out."""
    found = []
    with events.open("rb") as file:
        while True:
            try:
                found.append(pickle.load(file))
            except (EOFError, pickle.UnpicklingError):
                return found


def _environment() -> dict[str, str]:
    """The variables of a worker: paths of this checkout, and no display or device."""
    package = importlib.util.find_spec("fastnp")
    assert package is not None and package.origin is not None
    paths = [str(ROOT), str(Path(package.origin).parents[1])]
    settings = {"MPLBACKEND": "Agg", "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3"}
    path = os.pathsep.join([*paths, os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    return {**os.environ, **settings, "PYTHONPATH": path}
