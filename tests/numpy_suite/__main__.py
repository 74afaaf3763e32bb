"""Run NumPy's test files against fastnp: `python -m tests.numpy_suite [--framework numpy]`.

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

import numpy

from tests.numpy_suite.watch import BROKEN, FILES, known_failures, label, run_file

COLUMNS = ["passed", "failed", "error", "skipped", "xfailed", "xpassed", "crashed", "timeout"]


def main() -> int:
    """Run the files and print a table."""
    parser = argparse.ArgumentParser(prog="python -m tests.numpy_suite", description=__doc__)
    parser.add_argument(
        "--framework", default="fastnp", help="module under test (numpy: the baseline)"
    )
    parser.add_argument("--files", nargs="*", default=None, help="files, or parts of their names")
    parser.add_argument("--timeout", type=float, default=60, help="seconds without a result")
    parser.add_argument("--list-failures", action="store_true")
    parser.add_argument("--json", type=Path, help="write every result to this file")
    arguments = parser.parse_args()
    chosen = [f for f in FILES if not arguments.files or any(part in f for part in arguments.files)]
    everything, total, broken = {}, Counter[str](), set()
    known = known_failures()
    print(f"{arguments.framework} against the tests of NumPy {numpy.__version__}")
    print(f"{'file':34}" + "".join(f"{column:>9}" for column in COLUMNS))
    with tempfile.TemporaryDirectory(prefix="numpy-suite-") as folder:
        for name in chosen:
            results = run_file(name, arguments.framework, arguments.timeout, Path(folder))
            counts = Counter(outcome for outcome, _ in results.values())
            total += counts
            everything[name] = results
            print(f"{name:34}" + "".join(f"{counts[c]:9}" for c in COLUMNS), flush=True)
            for test, (outcome, why) in results.items():
                if outcome in BROKEN:
                    broken.add(label(name, test))
                    if arguments.list_failures:
                        print(f"    {outcome}: {label(name, test)} # {why}")
    print(f"{'total':34}" + "".join(f"{total[c]:9}" for c in COLUMNS))
    ran = sum(total[c] for c in ("passed", "failed", "error", "crashed", "timeout"))
    print(f"{100 * total['passed'] / max(ran, 1):.2f} % of {ran} passed")
    if arguments.json:
        arguments.json.write_text(json.dumps({"total": total, "files": everything}, indent=1))
    unexpected = broken - known
    print(
        f"{len(unexpected)} not known to fail; of {len(known)} known, {len(known - broken)} did not"
    )
    return int(bool(unexpected))


if __name__ == "__main__":
    raise SystemExit(main())
