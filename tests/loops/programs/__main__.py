"""Times the programs, whole processes: plain Python with NumPy, and `python -m fastnp`.

Seconds are the processor's: other processes change them little. Beside the ratio of whole processes
stands that of what they take beyond a process that imports NumPy alone, a third of most of these.

python -m tests.loops.programs --rounds 3 [name …]
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.loops.programs import FOLDER, names

WAYS = ("plain", "fastnp")


def timed(way: str, path: Path, environment: dict[str, str]) -> tuple[float, str]:
    """The processor's seconds that a process takes, and what it prints."""
    runner = [sys.executable] if way == "plain" else [sys.executable, "-m", "fastnp"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [*runner, str(path)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, done.stdout + (done.stderr if done.returncode else "")


def medians(path: Path, rounds: int, environment: dict[str, str]) -> tuple[float, float, bool]:
    """The seconds of both ways, which are run in turns, either of them first; and whether they
    print the same.
    """
    seconds: dict[str, list[float]] = {way: [] for way in WAYS}
    printed: dict[str, str] = {}
    for turn in range(rounds):
        for way in WAYS if turn % 2 == 0 else WAYS[::-1]:
            took, printed[way] = timed(way, path, environment)
            seconds[way].append(took)
    plain, ours = (statistics.median(seconds[way]) for way in WAYS)
    return plain, ours, printed["plain"] == printed["fastnp"]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    whole, beyond = [], []
    # OpenBLAS's second thread spins for a tenth of a second after the import, which would count.
    # With bytecode of both packages on disk, as where they are installed.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    folder = tempfile.TemporaryDirectory()
    environment["PYTHONPYCACHEPREFIX"] = folder.name
    environment["OPENBLAS_NUM_THREADS"] = "1"
    for way in WAYS:
        timed(way, FOLDER / f"{names()[0]}.py", environment)
    start = Path(folder.name) / "start.py"
    start.write_text("import numpy\n")
    start_plain, start_ours, _ = medians(start, 3 * arguments.rounds, environment)
    print(f"{'program':16} {'plain':>8} {'fastnp':>8} {'ratio':>7} {'beyond the start':>18}")
    print(f"{'(start)':16} {start_plain:8.3f} {start_ours:8.3f} {start_plain / start_ours:6.2f}x")
    for name in arguments.names or names():
        plain, ours, is_same = medians(FOLDER / f"{name}.py", arguments.rounds, environment)
        whole.append(plain / ours)
        # Differences of less than a millisecond are noise.
        beyond.append(max(plain - start_plain, 1e-3) / max(ours - start_ours, 1e-3))
        note = "" if is_same else "  DIFFERS"
        columns = f"{name:16} {plain:8.3f} {ours:8.3f} {whole[-1]:6.2f}x {beyond[-1]:17.2f}x"
        print(columns + note, flush=True)
    for ratios, what in ((whole, "whole processes"), (beyond, "beyond the start")):
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        print(
            f"{len(ratios)} programs, {what}: geometric mean {mean:.2f}x, least {min(ratios):.2f}x"
        )


if __name__ == "__main__":
    main()
