"""The programs in `programs`, at small sizes: they print what they print under plain Python."""

from __future__ import annotations

import contextlib
import io
import os
import runpy
import subprocess
import sys

import pytest

from tests.loops.programs import FOLDER, SMALL, names


def expected(name: str) -> str:
    """What a program prints in this process, in which `numpy` is NumPy."""
    found, before = io.StringIO(), sys.argv
    sys.argv = [name, str(SMALL[name])]
    try:
        with contextlib.redirect_stdout(found):
            runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    finally:
        sys.argv = before
    return found.getvalue()


def printed(name: str) -> str:
    """What a program prints in a process of its own under `python -m fastnp`."""
    program = str(FOLDER / f"{name}.py")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "fastnp", program, str(SMALL[name])],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("name", names())
def test_programs_print_the_same(name: str) -> None:
    """Values and their types; no program warns."""
    assert printed(name) == expected(name)
