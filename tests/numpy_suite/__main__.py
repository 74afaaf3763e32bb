"""Run NumPy's test files against fastnp: `python -m tests.numpy_suite [--framework numpy]`.

Each file runs in a process of its own, rewritten by `rewrite` and watched through `record`; a test
that crashes or hangs its process is counted as such and the rest of the file runs on in a new one.
NumPy's own conftest supplies its fixtures.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy

from tests.numpy_suite.rewrite import rewritten

FILES = [
    "_core/tests/test_indexing.py",
    "_core/tests/test_item_selection.py",
    "_core/tests/test_shape_base.py",
    "_core/tests/test_ufunc.py",
    "_core/tests/test_numeric.py",
    "lib/tests/test_stride_tricks.py",
    "lib/tests/test_shape_base.py",
    "lib/tests/test_index_tricks.py",
]
COLUMNS = ["passed", "failed", "error", "skipped", "xfailed", "xpassed", "crashed", "timeout"]
ROOT = Path(__file__).resolve().parent.parent.parent


def run_file(name: str, module: str, patience: float, folder: Path) -> dict[str, tuple[str, str]]:
    """Outcome and reason of every test of a file."""
    source = (Path(numpy.__file__).parent / name).read_text()
    place = folder / name.replace("/", "_").replace("_tests_test_", "_test_")
    place = place.with_name("test_" + place.name.lstrip("_").replace("test_", ""))
    place.write_text(rewritten(source, module))
    results: dict[str, tuple[str, str]] = {}
    for _ in range(100):  # each round settles at least the test that ended the one before
        ended = run_process(place, patience, results, folder)
        if ended is None:
            break
        test, outcome, why = ended
        results[test] = (outcome, why)
    return results


def run_process(
    place: Path, patience: float, results: dict[str, tuple[str, str]], folder: Path
) -> tuple[str, str, str] | None:
    """Run what is not settled yet; the test that took the process down, if one did."""
    record, skip = folder / "record.jsonl", folder / "skip.json"
    record.write_text("")
    skip.write_text(json.dumps(list(results)))
    environment = dict(
        os.environ,
        NUMPY_SUITE_RECORD=str(record),
        NUMPY_SUITE_SKIP=str(skip),
        PYTHONPATH=os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    )
    options = ["-p", "no:cacheprovider", "-p", "numpy.conftest", "-p", "tests.numpy_suite.record"]
    options += [
        "--tb=short",
        "-q",
        "--import-mode=importlib",
        f"--rootdir={folder}",
        "-c",
        os.devnull,
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *options, str(place)],
        env=environment,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    hung = watch(process, record, patience)
    running = "collection"
    for line in record.read_text().splitlines():
        entry: dict[str, Any] = json.loads(line)
        if entry["event"] == "start":
            running = entry["test"]
        elif entry["event"] == "result":
            results[entry["test"]] = (entry["outcome"], entry["why"])
    if hung:
        return running, "timeout", f"no result in {patience:.0f} s"
    if process.returncode in (0, 1, 2, 5):
        return None
    if running in results:
        running = f"end of file after {running}"
        return None if running in results else (running, "crashed", f"exit {process.returncode}")
    return running, "crashed", f"exit {process.returncode}"


def watch(process: subprocess.Popen[bytes], record: Path, patience: float) -> bool:
    """Wait for the process; end it and say so when it reports nothing for too long."""
    size, since = -1, time.monotonic()
    while process.poll() is None:
        now = record.stat().st_size
        if now != size:
            size, since = now, time.monotonic()
        elif time.monotonic() - since > patience:
            process.kill()
            process.wait()
            return True
        time.sleep(0.05)
    return False


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
    everything, total = {}, Counter[str]()
    print(f"{arguments.framework} against the tests of NumPy {numpy.__version__}")
    print(f"{'file':34}" + "".join(f"{column:>9}" for column in COLUMNS))
    with tempfile.TemporaryDirectory(prefix="numpy-suite-") as folder:
        for name in chosen:
            results = run_file(name, arguments.framework, arguments.timeout, Path(folder))
            counts = Counter(outcome for outcome, _ in results.values())
            total += counts
            everything[name] = results
            print(f"{name:34}" + "".join(f"{counts[c]:9}" for c in COLUMNS), flush=True)
            if arguments.list_failures:
                for test, (outcome, why) in results.items():
                    if outcome in ("failed", "error", "crashed", "timeout"):
                        print(f"    {outcome}: {test.partition('::')[2] or test}: {why}")
    print(f"{'total':34}" + "".join(f"{total[c]:9}" for c in COLUMNS))
    ran = sum(total[c] for c in ("passed", "failed", "error", "crashed", "timeout"))
    print(f"{100 * total['passed'] / max(ran, 1):.2f} % of {ran} passed")
    if arguments.json:
        arguments.json.write_text(json.dumps({"total": total, "files": everything}, indent=1))
    return int(total["passed"] != ran)


if __name__ == "__main__":
    raise SystemExit(main())
