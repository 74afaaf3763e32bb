"""A pytest plugin that writes each test's start and result immediately, as a line of JSON.

After a crash or a hang the file shows which test it was, and the runner continues after that test.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import pytest


class Recorder:
    """Appends to the file NUMPY_SUITE_RECORD names; leaves out the tests in NUMPY_SUITE_SKIP."""

    def __init__(self) -> None:
        self.file = open(os.environ["NUMPY_SUITE_RECORD"], "a", buffering=1)  # noqa: SIM115
        with open(os.environ["NUMPY_SUITE_SKIP"]) as skip:
            self.done = set(json.load(skip))
        self.work = (0, 0)

    def write(self, **line: Any) -> None:
        """One line."""
        self.file.write(json.dumps(line) + "\n")

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Skip the tests that an earlier process of this file has finished."""
        dropped = [item for item in items if item.nodeid in self.done]
        items[:] = [item for item in items if item.nodeid not in self.done]
        config.hook.pytest_deselected(items=dropped)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """How many tests are to run: where fewer have results, the run was cut short."""
        self.write(event="collected", count=len(session.items))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that cannot be imported."""
        if report.failed:
            self.write(event="result", test=report.nodeid, outcome="error", why=last_line(report))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Record the start of a test, which may crash."""
        self.write(event="start", test=nodeid)

    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        """Record after a test how many operations the engine ran, and how many NumPy ran for it."""
        fastnp = sys.modules.get("fastnp")
        if fastnp is not None:
            stats = fastnp.stats()
            native, fallbacks = stats["native_operations"], stats["fallbacks"]
            self.write(
                event="work", native=native - self.work[0], fallbacks=fallbacks - self.work[1]
            )
            self.work = (native, fallbacks)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """The call of a test, or a set-up or tear-down that went wrong."""
        outcome: str = report.outcome
        if report.when != "call":
            if outcome == "passed":
                return
            outcome = "error" if outcome == "failed" else outcome
        elif hasattr(report, "wasxfail"):
            outcome = "xpassed" if report.passed else "xfailed"
        self.write(event="result", test=report.nodeid, outcome=outcome, why=last_line(report))


def last_line(report: pytest.TestReport | pytest.CollectReport) -> str:
    """The error in one line."""
    if not report.failed:
        return ""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr or "")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if crash:
        return " ".join(lines)[:200]
    return lines[-1][:200] if lines else ""


def pytest_configure(config: pytest.Config) -> None:
    """Register the recorder."""
    config.pluginmanager.register(Recorder(), "numpy-suite-recorder")
