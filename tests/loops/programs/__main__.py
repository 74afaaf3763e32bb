"""Times the programs, whole processes: plain Python with NumPy, and `python -m fastnp`.

Seconds are the processor's: other processes change them little. Beside the ratio of whole processes
stands that of what they take beyond a process that imports NumPy alone, a third of most of these.

With `--seconds S` each program has the size at which plain Python takes about so long: what remains
of starting and compiling becomes less as programs run longer.

python -m tests.loops.programs --rounds 3 [--seconds S] [name …]
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

from tests.loops.programs import FOLDER, SMALL, names

WAYS = ("plain", "fastnp")
# Of the seconds asked for, the part at which a size is large enough.
CLOSE = 0.8
GROWTH, MOST_GROWTH = 1.25, 2.0
# The time grows with a size at least like its root: less is noise.
LEAST_POWER = 0.5
# Some programs are done at some size.
MOST_TIMES = 2000
# Seconds that another size's can be compared with.
COMPARABLE = 0.01


def timed(
    way: str, path: Path, environment: dict[str, str], size: int | None = None
) -> tuple[float, str]:
    """The processor's seconds that a process takes, and what it prints."""
    runner = [sys.executable] if way == "plain" else [sys.executable, "-m", "fastnp"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [*runner, str(path), *([] if size is None else [str(size)])],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, done.stdout + (done.stderr if done.returncode else "")


def size_of(path: Path, seconds: float, start: float, environment: dict[str, str]) -> int:
    """The least size that was found at which plain Python takes about so many seconds or more
    beyond its start.

    Sizes grow by a quarter until times can be compared; then by the power law that the last two
    follow, at most to twice, as some programs take time exponential in their size.
    """
    size = size_before = SMALL[path.stem]
    took, most = 0.0, MOST_TIMES * size
    while True:
        before, took = took, timed("plain", path, environment, size)[0] - start
        if took > CLOSE * seconds or size > most:
            return size
        factor = GROWTH
        if before > COMPARABLE and took > before:
            power = math.log(took / before) / math.log(size / size_before)
            factor = min((seconds / took) ** (1 / max(power, LEAST_POWER)), MOST_GROWTH)
        size_before, size = size, max(size + 1, int(size * factor))


def medians(
    path: Path, rounds: int, environment: dict[str, str], size: int | None = None
) -> tuple[float, float, bool]:
    """The seconds of both ways, which are run in turns, either of them first; and whether they
    print the same.
    """
    seconds: dict[str, list[float]] = {way: [] for way in WAYS}
    printed: dict[str, str] = {}
    for turn in range(rounds):
        for way in WAYS if turn % 2 == 0 else WAYS[::-1]:
            took, printed[way] = timed(way, path, environment, size)
            seconds[way].append(took)
    plain, ours = (statistics.median(seconds[way]) for way in WAYS)
    return plain, ours, printed["plain"] == printed["fastnp"]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float)
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
        path, size = FOLDER / f"{name}.py", None
        if arguments.seconds:
            size = size_of(path, arguments.seconds, start_plain, environment)
        plain, ours, is_same = medians(path, arguments.rounds, environment, size)
        whole.append(plain / ours)
        # Differences of less than a millisecond are noise.
        beyond.append(max(plain - start_plain, 1e-3) / max(ours - start_ours, 1e-3))
        note = "" if size is None else f"  size {size}"
        note += "" if is_same else "  DIFFERS"
        columns = f"{name:16} {plain:8.3f} {ours:8.3f} {whole[-1]:6.2f}x {beyond[-1]:17.2f}x"
        print(columns + note, flush=True)
    for ratios, what in ((whole, "whole processes"), (beyond, "beyond the start")):
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        print(
            f"{len(ratios)} programs, {what}: geometric mean {mean:.2f}x, least {min(ratios):.2f}x"
        )


if __name__ == "__main__":
    main()
