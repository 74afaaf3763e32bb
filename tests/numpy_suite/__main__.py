"""Run NumPy's test files against fastnp: `python -m tests.numpy_suite [--modes default forced …]`.

Each file runs in a process of its own, rewritten by `rewrite` and watched by `watch`; a test that
crashes or hangs its process is counted as such and the rest of the file runs on in a new one. Exits
with 1 where a test fails that `known_failures.txt` does not list.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy

from tests.numpy_suite.watch import (
    BROKEN,
    COUNTS,
    FILES,
    MODES,
    VERSION,
    Outcomes,
    known_failures,
    label,
    least_counts,
    run_file,
    unknown,
)

COLUMNS = ["passed", "failed", "error", "skipped", "xfailed", "xpassed", "crashed", "timeout"]


def main() -> int:
    """Run the files in each mode and print a table of each."""
    parser = argparse.ArgumentParser(prog="python -m tests.numpy_suite", description=__doc__)
    parser.add_argument(
        "--framework", default="fastnp", help="module under test (numpy: the baseline)"
    )
    parser.add_argument("--files", nargs="*", default=None, help="files, or parts of their names")
    parser.add_argument("--modes", nargs="*", default=["default"], choices=list(MODES))
    parser.add_argument("--timeout", type=float, default=60, help="seconds without a result")
    parser.add_argument("--list-failures", action="store_true")
    parser.add_argument(
        "--write-counts", action="store_true", help="record the tests of each file in counts.txt"
    )
    parser.add_argument("--json", type=Path, help="write every result to this file")
    arguments = parser.parse_args()
    files = [f for f in FILES if not arguments.files or any(part in f for part in arguments.files)]
    everything, unexpected = {}, 0
    print(f"{arguments.framework} against the tests of NumPy {numpy.__version__}")
    for mode in arguments.modes:
        outcomes = run_mode(mode, files, arguments)
        everything[mode] = {name: outcome._asdict() for name, outcome in outcomes.items()}
        unexpected += summary(mode, outcomes)
        counts = least_counts()
        short = [name for name, o in outcomes.items() if len(o.tests) < counts.get(name, 1)]
        print("".join(f"{name}: fewer tests than recorded\n" for name in short), end="")
        unexpected += len(short)
    if arguments.write_counts:
        write_counts(next(iter(everything.values())))
    if arguments.json:
        arguments.json.write_text(json.dumps(everything, indent=1))
    return int(unexpected > 0)


def run_mode(mode: str, files: list[str], arguments: argparse.Namespace) -> dict[str, Outcomes]:
    """Run the files in a mode, with a line of the table for each."""
    print(f"\n{mode:38}" + "".join(f"{column:>9}" for column in COLUMNS) + "   native")
    found = {}
    with tempfile.TemporaryDirectory(prefix="numpy-suite-") as folder:
        for name in files:
            outcomes = run_file(name, arguments.framework, mode, arguments.timeout, Path(folder))
            found[name] = outcomes
            print(line(name, outcomes), flush=True)
            for test, (outcome, why) in outcomes.tests.items():
                if outcome in BROKEN and arguments.list_failures:
                    print(f"    {outcome}: {label(name, test)} # {why}")
    return found


def write_counts(found: dict[str, dict[str, Any]]) -> None:
    """Record how many tests the files have under the installed version of NumPy."""
    kept = [row for row in COUNTS.read_text().splitlines() if not row.startswith(f"{VERSION} ")]
    fresh = [f"{VERSION} {name} {len(outcomes['tests'])}" for name, outcomes in found.items()]
    COUNTS.write_text("\n".join([*kept, *fresh]) + "\n")


def line(name: str, outcomes: Outcomes) -> str:
    """A file's line of the table."""
    counts = Counter(outcome for outcome, _ in outcomes.tests.values())
    share = f"{100 * outcomes.native_share:7.1f} %"
    return f"{name:38}" + "".join(f"{counts[c]:9}" for c in COLUMNS) + share


def summary(mode: str, found: dict[str, Outcomes]) -> int:
    """Print what all files of a mode come to; how many tests fail that are not known to."""
    tests = {label(name, test): o for name, f in found.items() for test, (o, _) in f.tests.items()}
    native, fallbacks = (sum(part) for part in zip(*(f[1:] for f in found.values()), strict=True))
    print(line("total", Outcomes({t: (o, "") for t, o in tests.items()}, native, fallbacks)))
    ran = [o for o in tests.values() if o in (*BROKEN, "passed")]
    print(f"{100 * ran.count('passed') / max(len(ran), 1):.2f} % of {len(ran)} passed")
    broken, known = {t for t, o in tests.items() if o in BROKEN}, known_failures(mode)
    fresh = unknown(broken, known)
    print(f"{len(fresh)} not known to fail")
    return len(fresh)


if __name__ == "__main__":
    raise SystemExit(main())
