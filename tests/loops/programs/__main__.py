"""Times the programs, whole processes: plain Python with NumPy, and `python -m fastnp`.

python -m tests.loops.programs --rounds 3 [name …]
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

from tests.loops.programs import FOLDER, names

WAYS = ("plain", "fastnp")


def timed(way: str, name: str, environment: dict[str, str]) -> tuple[float, str]:
    """The seconds that a process takes, and what it prints."""
    runner = [sys.executable] if way == "plain" else [sys.executable, "-m", "fastnp"]
    began = time.perf_counter()
    done = subprocess.run(
        [*runner, str(FOLDER / f"{name}.py")],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    seconds = time.perf_counter() - began
    return seconds, done.stdout + (done.stderr if done.returncode else "")


def main() -> None:
    """Prints the table: medians of both ways, which are run in turns, either of them first."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    ratios = []
    # With bytecode of both packages on disk, as where they are installed.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    folder = tempfile.TemporaryDirectory()
    environment["PYTHONPYCACHEPREFIX"] = folder.name
    for way in WAYS:
        timed(way, names()[0], environment)
    print(f"{'program':16} {'plain':>8} {'fastnp':>8} {'ratio':>7}")
    for name in arguments.names or names():
        seconds: dict[str, list[float]] = {way: [] for way in WAYS}
        printed: dict[str, str] = {}
        for turn in range(arguments.rounds):
            for way in WAYS if turn % 2 == 0 else WAYS[::-1]:
                took, printed[way] = timed(way, name, environment)
                seconds[way].append(took)
        plain, ours = (statistics.median(seconds[way]) for way in WAYS)
        ratios.append(plain / ours)
        note = "" if printed["plain"] == printed["fastnp"] else "  DIFFERS"
        print(f"{name:16} {plain:8.3f} {ours:8.3f} {plain / ours:6.2f}x{note}", flush=True)
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    print(f"{len(ratios)} programs, geometric mean {mean:.2f}x, least {min(ratios):.2f}x")


if __name__ == "__main__":
    main()
