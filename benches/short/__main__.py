"""Time of short programs, start to exit: `python -m benches.short [name ...] [--json out.json]`.

Each file of `programs` runs as a process of its own with NumPy, and with `import fastnp as np` in
its place. The two take turns in both orders; a figure is the median of its rounds, the ratio
NumPy's over fastnp's: above 1 fastnp is faster. The first row is a process that imports the module
alone, which is part of all others. What the two print must agree, or the row says so. Bytecode of
both is on disk, as where they are installed. `--clock processor` counts the processor's seconds,
all threads together, which other load of the machine changes less than the wall's.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from benches.cells import summarize
from benches.turns import Times, ratio, take_turns

PROGRAMS = Path(__file__).with_name("programs")
MODULES = ("numpy", "fastnp")
# Ratios below these are listed.
LIMITS = (0.95, 1.0)


def names() -> list[str]:
    """The names of the programs."""
    return sorted(path.stem for path in PROGRAMS.glob("*.py"))


@contextmanager
def written() -> Iterator[tuple[Path, dict[str, str]]]:
    """A folder with the programs for each module, and the environment that they run in."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for module in MODULES:
            (folder / module).mkdir()
            (folder / module / "start.py").write_text(f"import {module}\n", encoding="utf-8")
            for program in names():
                text = (PROGRAMS / f"{program}.py").read_text(encoding="utf-8")
                text = text.replace("import numpy as np", f"import {module} as np", 1)
                (folder / module / f"{program}.py").write_text(text, encoding="utf-8")
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
        yield folder, environment


def run(path: Path, environment: dict[str, str]) -> str:
    """What a program prints; the error if it ends with one."""
    command = [sys.executable, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    return done.stdout if done.returncode == 0 else done.stderr


def seconds(path: Path, environment: dict[str, str], clock: str) -> float:
    """The time of a process, from its start to its exit."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, str(path)], check=False, env=environment, capture_output=True)
    took = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return took if clock == "wall" else used


def measure(
    folder: Path, name: str, rounds: int, environment: dict[str, str], clock: str
) -> tuple[Times, bool]:
    """The medians of a program with each module, and whether both print the same."""
    paths = {module: folder / module / f"{name}.py" for module in MODULES}
    printed = {run(path, environment) for path in paths.values()}
    measures = {m: partial(seconds, path, environment, clock) for m, path in paths.items()}
    found = take_turns(measures, rounds)
    return {m: statistics.median(times) for m, times in found.items()}, len(printed) == 1


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benches.short", description=__doc__)
    parser.add_argument("names", nargs="*", help="programs (all)")
    parser.add_argument("--rounds", type=int, default=12, help="turns of each module (12)")
    parser.add_argument("--clock", choices=("wall", "processor"), default="wall")
    parser.add_argument("--json", type=Path, help="write every time to this file")
    options = parser.parse_args()
    found: dict[str, Times] = {}
    with written() as (folder, environment):
        print(f"{'milliseconds':16}{'numpy':>9}{'fastnp':>9}{'ratio':>8}{'beyond the import':>20}")
        for name in ["start", *(options.names or names())]:
            times, is_same = measure(folder, name, options.rounds, environment, options.clock)
            row = f"{name:16}{times['numpy'] * 1e3:9.1f}{times['fastnp'] * 1e3:9.1f}"
            row += f"{ratio(times):8.3f}"
            if name == "start":
                start = times
            else:
                found[name] = times
                beyond = [(times[module] - start[module]) * 1e3 for module in MODULES]
                row += f"{beyond[0]:11.1f}{beyond[1]:9.1f}"
            print(row + ("" if is_same else "  PRINTS DIFFER"), flush=True)
    summarize(found, LIMITS, options.json)


if __name__ == "__main__":
    main()
