"""Run one of NumPy's test files, through crashes and hangs, to a result for every test.

Leaves what text the file has to `rewrite`, what is written down to `record`, and the table to
`__main__`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
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
# Its argument alone is a tuple of 17 GB, under which a machine of 24 GB kills the process.
TOO_LARGE = "test_huge_list_error"
ROOT = Path(__file__).resolve().parent.parent.parent
KNOWN = Path(__file__).parent / "known_failures.txt"
BROKEN = ("failed", "error", "crashed", "timeout")


def known_failures() -> set[str]:
    """Tests that are known to fail, as `file::Class::test`."""
    lines = (line.split(" # ")[0].strip() for line in KNOWN.read_text().splitlines())
    return {line for line in lines if line and not line.startswith("#")}


def label(name: str, test: str) -> str:
    """A test's name in NumPy's tree, without the folder it was run in."""
    return f"{name}::{test.partition('::')[2] or test}"


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
        "-k",
        f"not {TOO_LARGE}",
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
