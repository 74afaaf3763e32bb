"""A headless browser, for tests of pages: the document that it makes of one, and its console."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


class Opened(NamedTuple):
    """A page as a browser shows it, and what its scripts print or fail with."""

    document: str
    console: list[str]


def find() -> str:
    """A browser that prints a page; skips the test where there is none."""
    for name in BROWSERS:
        if path := shutil.which(name):
            return path
    pytest.skip(f"no browser that can print a page: none of {', '.join(BROWSERS)}")


def opened(path: Path, profile: Path, fragment: str = "") -> Opened:
    """The page at a path, opened with a new profile of the browser in a folder."""
    options = ["--headless", "--disable-gpu", "--disable-dev-shm-usage"]
    options += [f"--user-data-dir={profile}", "--enable-logging=stderr", "--log-level=0"]
    if os.geteuid() == 0:
        options.append("--no-sandbox")
    command = [find(), *options, "--dump-dom", f"{path.as_uri()}#{fragment}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0 and "<html" not in done.stdout:
        pytest.skip(f"the browser does not start here: {done.stderr[-200:]}")
    return Opened(done.stdout, re.findall(r":CONSOLE[(:].*", done.stderr))
