"""Programs that run as `python program.py` and as `python -m fastnp program.py`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import fastnp
import pytest

PACKAGES = str(Path(fastnp.__file__).parents[1])
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Python's handler of SIGINT, which processes that run tests for others ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """`run(source, *arguments, ours=True, modules={}, options=())` runs a program in a folder."""

    def start(
        source: str,
        *arguments: str,
        ours: bool = True,
        modules: dict[str, str] | None = None,
        options: tuple[str, ...] = (),
        environment: dict[str, str] | None = None,
        name: str = "program.py",
    ) -> subprocess.CompletedProcess[str]:
        for file, text in {name: source, **(modules or {})}.items():
            path = tmp_path / file
            path.parent.mkdir(exist_ok=True)
            path.write_text(dedent(text), encoding="utf-8")
        command = [sys.executable, *(["-m", "fastnp"] if ours else []), *options]
        if "-m" not in options:
            command.append(name)
        return subprocess.run(
            [*command, *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": PACKAGES, **(environment or {})},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    return start


@pytest.fixture
def agrees(run: Run) -> Callable[..., str]:
    """`agrees(source, *arguments)`: both ways print, fail and end alike; what is printed."""

    def check(source: str, *arguments: str, **how: object) -> str:
        plain = run(source, *arguments, ours=False, **how)
        ours = run(source, *arguments, **how)
        assert ours.stdout == plain.stdout
        assert ours.stderr == plain.stderr
        assert ours.returncode == plain.returncode
        return ours.stdout + ours.stderr

    return check
