"""Count the instructions of single calls under Valgrind; the load of the machine does not matter.

    python -m benches.instructions [--python INTERPRETER ...]

Each case runs in separate processes, with few and with many calls; their difference gives the
instructions of one call, with Python's loop around it. A figure is the minimum of three, since
addresses of memory cost up to 5 % of a call. Several interpreters (each with its own fastnp) have a
column each, and the last column is the ratio of the last to the first. Valgrind does not support
AVX-512, so kernels are AVX2's.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FEW, MANY, REPEATS = 200, 2200, 3

# Name, preparation, and the statement of one turn.
CASES = {
    "a + b of 100,000, recorded": ("a = np.ones(100_000); b = np.ones(100_000)", "a + b"),
    "a + b of 10, eager": ("a = np.ones(10); b = np.ones(10)", "a + b"),
    "chain of ten on 10": ("a = np.ones(10)", "a + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10"),
    "chain of ten on 5,000, flushed": (
        "a = np.ones(5_000)",
        "float((a + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9)[0])",
    ),
    "a.sum() of 100": ("a = np.ones(100)", "a.sum()"),
    "a[i] with ten indices": ("a = np.arange(100.0); i = np.arange(10)", "a[i]"),
    "a[2:8] = 1.0": ("a = np.ones(10)", "a[2:8] = 1.0"),
    "np.exp(a) of 10": ("a = np.ones(10)", "np.exp(a)"),
}


def count(python: str, prepare: str, turn: str, turns: int) -> int:
    """Instructions of a process that runs a statement so many times."""
    program = f"import fastnp as np\n{prepare}\nfor _ in range({turns}):\n    {turn}\n"
    # One thread and a fixed hash seed; only addresses of memory are still random.
    settings = {"FASTNP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={Path(folder) / 'out'}"]
        done = subprocess.run(
            [*command, python, "-c", program],
            capture_output=True,
            text=True,
            env=os.environ | settings,
            check=False,
        )
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found:
        raise SystemExit(f"valgrind failed:\n{done.stderr[-2000:]}")
    return int(found.group(1))


def main() -> None:
    """Print a row for each case."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", nargs="+", default=[sys.executable], metavar="INTERPRETER")
    pythons: list[str] = parser.parse_args().python
    width = max(map(len, CASES))
    for name, (prepare, turn) in CASES.items():
        each = [
            min(
                count(p, prepare, turn, MANY) - count(p, prepare, turn, FEW) for _ in range(REPEATS)
            )
            / (MANY - FEW)
            for p in pythons
        ]
        ratio = f"  {each[-1] / each[0]:.3f}" if len(each) > 1 else ""
        print(f"{name:{width}}", *(f"{n:9.0f}" for n in each), ratio, flush=True)


if __name__ == "__main__":
    main()
