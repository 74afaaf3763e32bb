"""The doctor: runs a program under a profile, and says which of its lines cost time and what to
write instead.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from fastnp._profile.patterns import Finding, find
from fastnp._profile.profile import profile
from fastnp._profile.record import Record, time_text

__all__ = ["Findings", "diagnose", "doctor"]

# A line that does something so often does it in a loop.
OFTEN = 10
# Kernels over fewer elements take less time than what it takes to call them.
SMALL = 2_000
# Runs of such kernels from which on they are a finding.
MANY_SMALL = 1_000
# Plans made for one line from which on the work recorded there differs from turn to turn.
MANY_PLANS = 50

BETTER = {
    "append": "collect the parts in a list, and call np.concatenate once",
    "insert": "collect the parts in a list, and call np.concatenate once",
    "delete": "select with a mask: x[keep]",
    "apply_along_axis": "write the function for whole arrays, with axis=",
    "piecewise": "np.where, or np.select",
}
OUT_OF_LOOP = (
    "move it out of the loop, or write it with native functions (docs/coverage.md lists them): "
    "a fallback computes what is pending, and nothing fuses across it"
)
DECIDE_LATER = (
    "if turns work on the same array, read in every tenth turn instead of each, or once behind the "
    "loop: what is between two reads is fused"
)
ONE_ARRAY = "put the small arrays into one with one more axis, and compute on all at once"
SAME_WORK = "record the same operations in each turn: masks instead of branches between operations"
CONVERT_ONCE = (
    "hand the other code one NumPy array made before the loop (x.to_numpy()), or use fastnp's "
    "function in place of it"
)


class Findings(list[Finding]):
    """What the doctor found, in the order of lines; prints as text."""

    def __repr__(self) -> str:
        if not self:
            return "nothing found"
        return "\n".join(
            f"{finding.file}:{finding.line}: {finding.problem}\n    instead: {finding.advice}"
            for finding in self
        )


def doctor(
    program: str | os.PathLike[str] | Callable[..., Any], *args: Any, **kwargs: Any
) -> Findings:
    """Run a program and name the lines that keep it from being fast, with what to write instead.

    `program` is a function, which is called with the arguments, or the path of a script, which runs
    in a process of its own, as under `python -m fastnp`, with the arguments as its command line.
    The result is a list of findings (`file`, `line`, `problem`, `advice`) that prints as text.
    Raises what the function raises, and `subprocess.CalledProcessError` if the script fails.

    >>> import fastnp as np
    >>> def grow():
    ...     x = np.zeros(0)
    ...     for i in range(20):
    ...         x = np.append(x, np.sort(np.arange(3.0)))
    >>> [finding.line for finding in np.doctor(grow)]
    [4]
    """
    if not callable(program):
        return _of_script(os.fspath(program), [str(arg) for arg in args])
    with profile() as p:
        program(*args, **kwargs)
    code = getattr(program, "__code__", None)
    return diagnose(p, [] if code is None else [code.co_filename])


def _of_script(path: str, arguments: list[str]) -> Findings:
    with tempfile.TemporaryDirectory(prefix="fastnp-") as folder:
        out = Path(folder) / "findings.json"
        command = [sys.executable, "-m", "fastnp", f"--doctor={out}", path, *arguments]
        subprocess.run(command, check=True)
        return Findings(Finding(*row) for row in json.loads(out.read_text(encoding="utf-8")))


def diagnose(p: Record, files: Iterable[str] = ()) -> Findings:
    """The findings of a profile, and of the texts of the program's files."""
    found = [*_of_fallbacks(p), *_of_flushes(p), *_of_small_work(p)]
    lines = {line for rows in (p.flushes, p.fallbacks) for line in (row.line for row in rows)}
    texts = {os.path.relpath(file) if file.startswith(os.getcwd()) else file for file in files}
    texts |= {line.rpartition(":")[0] for line in lines}
    for file in sorted(texts):
        if os.path.isfile(file):
            found += find(Path(file).read_text(encoding="utf-8", errors="replace"), file)
    return Findings(sorted(set(found), key=lambda finding: (finding.file, finding.line)))


def _at(line: str, problem: str, advice: str) -> Finding:
    file, _, number = line.rpartition(":")
    return Finding(file or line, int(number) if number.isdigit() else 0, problem, advice)


def _of_fallbacks(p: Record) -> Iterable[Finding]:
    for row in p.fallbacks:
        if row.runs >= OFTEN or row.seconds > 0.05 * p.seconds:
            took = f" in {time_text(row.seconds)}" if row.seconds else ""
            problem = f"{row.name} ran in NumPy {row.runs:,} times{took}: {row.reason}"
            yield _at(row.line, problem, BETTER.get(row.name.rpartition(".")[2], OUT_OF_LOOP))


def _of_flushes(p: Record) -> Iterable[Finding]:
    for row in p.flushes:
        if row.flushes < OFTEN:
            continue
        each = f"after {row.operations / row.flushes:.1f} operations on average"
        if row.reason == "a value was read":
            yield _at(row.line, f"a value is read {row.flushes:,} times, {each}", DECIDE_LATER)
        elif row.reason == "other code touched the memory":
            problem = f"other code uses an array's memory {row.flushes:,} times, {each}"
            yield _at(row.line, problem, CONVERT_ONCE)
    made, reused = p.counters["plans_made"], p.counters["plans_reused"]
    if made >= MANY_PLANS and made > reused and p.flushes:
        line = max(p.flushes, key=lambda row: row.flushes).line
        problem = f"{made:,} of {made + reused:,} plans were new: each takes longer than its work"
        yield _at(line, problem, SAME_WORK)


def _of_small_work(p: Record) -> Iterable[Finding]:
    runs: Counter[str] = Counter()
    for work in p.work:
        if math.prod(work.domain) < SMALL and ":" in work.line:
            runs[work.line] += work.runs
    for line, count in runs.items():
        if count >= MANY_SMALL:
            yield _at(line, f"{count:,} kernels over fewer than {SMALL:,} elements", ONE_ARRAY)


for _shown in (doctor, Findings):
    _shown.__module__ = "fastnp"
