"""Run one of NumPy's test files, through crashes and hangs, to a result for every test.

Leaves what text the file has to `rewrite`, what is written down to `record`, and the table to
`__main__`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy

from tests.numpy_suite.rewrite import rewritten

CORE = """
    ufunc umath umath_complex numeric multiarray indexing shape_base function_base item_selection
    einsum nep50_promotions scalarmath errstate casting_floatingpoint_errors mem_overlap overrides
    dlpack array_coercion multithreading
"""
LIB = """
    function_base shape_base index_tricks nanfunctions stride_tricks arraysetops twodim_base
    type_check ufunclike histograms arraypad
"""
FILES = [
    *(f"_core/tests/test_{name}.py" for name in CORE.split()),
    *(f"lib/tests/test_{name}.py" for name in LIB.split()),
    "linalg/tests/test_linalg.py",
    "fft/tests/test_pocketfft.py",
]
# Settings of the engine: the defaults; everything recorded and planned, for any size; and a flush
# after each operation, which separates wrong kernels from wrong recording.
MODES: dict[str, dict[str, str]] = {
    "default": {},
    "forced": {"FASTNP_TINY": "0"},
    "eager": {"FASTNP_TINY": "0", "FASTNP_EAGER": "1"},
}
# Tests that crash the process or exhaust the machine under any module: an argument of 17 GB, two
# vectors of 16 GB each, a helper in C that uses any object as a `PyArrayObject` without a check.
# Those of deadlocks run strings alone, and take two seconds without progress for one, which a busy
# machine has under NumPy too. The last one calls NumPy's solver in C with integers, and no array.
LEFT_OUT = [
    "test_huge_list_error",
    "test_huge_vectordot",
    "test_extension_incref_elide",
    "test_concurrent_allocator_acquire_no_deadlock",
    "test_concurrent_unique_no_deadlock",
    "test_diophantine_fuzz",
]
UNUSED_PLUGINS = ("logging", "threadexception", "unraisableexception", "faulthandler")
ROOT = Path(__file__).resolve().parent.parent.parent
KNOWN = Path(__file__).parent / "known_failures.txt"
# How many tests each file has, by NumPy's version: a run with fewer results was cut short.
COUNTS = Path(__file__).parent / "counts.txt"
VERSION = ".".join(numpy.__version__.split(".")[:2])
PARAMETERS = re.compile(r"\[.*", re.DOTALL)
BROKEN = ("failed", "error", "crashed", "timeout")


def known_failures(mode: str, listed: Path = KNOWN) -> set[str]:
    """Tests that are known to fail in a mode, as `file::Class::test`.

    A line `[forced,eager] file::Class::test # why` holds in these modes, `[2.5]` under this version
    of NumPy, one without brackets always. `test[*]` stands for the test with any parameters.
    """
    known = set()
    for line in listed.read_text().splitlines():
        test = line.split(" # ")[0].strip()
        where, mark, rest = test[1:].partition("] ") if test.startswith("[") else ("", "", test)
        holds = not mark or not {mode, VERSION}.isdisjoint(where.split(","))
        if rest and not rest.startswith("#") and holds:
            known.add(rest)
    return known


def least_counts(listed: Path = COUNTS) -> dict[str, int]:
    """The least number of tests of each file under the installed version of NumPy, as far as they
    were counted: 98 %, since a few parameters depend on the machine.
    """
    lines = [line.split() for line in listed.read_text().splitlines() if not line.startswith("#")]
    return {name: int(count) * 98 // 100 for version, name, count in lines if version == VERSION}


def unknown(broken: set[str], known: set[str]) -> set[str]:
    """Those of the tests that failed that are not known to."""
    return {t for t in broken if t not in known and PARAMETERS.sub("[*]", t) not in known}


class Outcomes(NamedTuple):
    """The results of a file: each test's outcome and reason, and the counts of operations."""

    tests: dict[str, tuple[str, str]]
    native: int
    fallbacks: int

    @property
    def native_share(self) -> float:
        """The fraction of operations on arrays of native types that the engine ran."""
        return self.native / max(self.native + self.fallbacks, 1)


def label(name: str, test: str) -> str:
    """A test's name in NumPy's tree, without the folder it was run in."""
    return f"{name}::{test.partition('::')[2] or test}"


def run_file(name: str, module: str, mode: str, patience: float, folder: Path) -> Outcomes:
    """Run every test of a file, in as many processes as it takes."""
    source = (Path(numpy.__file__).parent / name).read_text()
    place = folder / name.replace("/", "_").replace("_tests_test_", "_test_")
    place = place.with_name("test_" + place.name.lstrip("_").replace("test_", ""))
    place.write_text(rewritten(source, module))
    # Plugins that are installed for other tests take an eighth of the time.
    variables = {**MODES[mode], "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return File(place, numpys_options(folder), variables, patience, folder).run()


def numpys_options(folder: Path) -> list[str]:
    """How pytest is called for a file of NumPy's."""
    return [
        *("-p", "numpy.conftest"),
        "--import-mode=importlib",
        # A third of the time is spent on what is not looked at: assertions that are rewritten, text
        # and records of each test that are caught.
        *("--assert=plain", "-s"),
        *(f"-pno:{name}" for name in UNUSED_PLUGINS),
        f"--rootdir={folder}",
        *("-c", os.devnull),
        *("-k", " and ".join(f"not {name}" for name in LEFT_OUT)),
    ]


class File:
    """A run of a test file: in a folder, with options for pytest and environment variables, by
    processes with a limit of seconds between reports.
    """

    def __init__(
        self,
        place: Path,
        options: list[str],
        variables: dict[str, str],
        patience: float,
        folder: Path,
        cwd: Path | None = None,
    ) -> None:
        self.place, self.options, self.variables = place, options, variables
        self.patience, self.folder, self.cwd = patience, folder, cwd or folder
        self.results: dict[str, tuple[str, str]] = {}
        self.native = self.fallbacks = 0

    def run(self) -> Outcomes:
        """Run every test, in as many processes as it takes."""
        for _ in range(100):  # each round finishes at least the test that ended the one before
            ended = self.run_process()
            if ended is None:
                break
            test, outcome, why = ended
            self.results[test] = (outcome, why)
        return Outcomes(self.results, self.native, self.fallbacks)

    def run_process(self) -> tuple[str, str, str] | None:
        """Run the unfinished tests; returns the test that crashed the process, if one did."""
        record, skip = self.folder / "record.jsonl", self.folder / "skip.json"
        record.write_text("")
        skip.write_text(json.dumps(list(self.results)))
        environment = dict(
            os.environ,
            **self.variables,
            NUMPY_SUITE_RECORD=str(record),
            NUMPY_SUITE_SKIP=str(skip),
            PYTHONPATH=os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        )
        shared = ["-p", "no:cacheprovider", "-p", "tests.numpy_suite.record", "--tb=no", "-q"]
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *shared, *self.options, str(self.place)],
            env=environment,
            cwd=self.cwd,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        hung = watch(process, record, self.patience)
        running, missing = self.read(record)
        if hung:
            return running, "timeout", f"no result in {self.patience:.0f} s"
        if process.returncode in (0, 1, 5) and not missing:
            return None
        if running in self.results:
            running = f"end of file after {running}"
            if running in self.results:
                return None
        return running, "crashed", f"exit {process.returncode}"

    def read(self, record: Path) -> tuple[str, int]:
        """Take over what a process wrote down; the test it began last, and how many have no result.

        A test can end pytest without a crash, with any exit status, so that is not what is asked.
        """
        running, collected, settled = "collection", 1, set[str]()
        for line in record.read_text().splitlines():
            entry: dict[str, Any] = json.loads(line)
            if entry["event"] == "start":
                running = entry["test"]
            elif entry["event"] == "collected":
                collected = entry["count"]
            elif entry["event"] == "result":
                self.results[entry["test"]] = (entry["outcome"], entry["why"])
                settled.add(entry["test"])
            elif entry["event"] == "work":
                self.native += entry["native"]
                self.fallbacks += entry["fallbacks"]
        return running, max(collected - len(settled), 0)


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
