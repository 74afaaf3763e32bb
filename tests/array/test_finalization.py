"""The end of a process: what the garbage collector finds then does what it does under NumPy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import fastnp
import pytest

# Refers to the program's variables from outside, so that the collector alone finds them at the end.
KEPT = """
import warnings
def shown(*arguments): pass
warnings.showwarning = shown
"""
# `print` is gone by then.
LOUD = """
import os
class Loud:
    {slots}
    def __del__(self, write=os.write):
        write(1, b"finalized")
"""
# What a program has at its end, and what it prints then or leaves behind.
FINALIZED = {
    "an object": LOUD.format(slots="") + "one = Loud()",
    "an object in a cycle": LOUD.format(slots="") + "one = Loud(); one.me = one; del one",
    "an object of an empty class": LOUD.format(slots="__slots__ = ()") + "one = Loud()",
    "a class whose finalizer was set later": (
        "import os\n"
        "class Loud: pass\n"
        "one = Loud()\n"
        "Loud.__del__ = lambda self, write=os.write: write(1, b'finalized')"
    ),
    "an open file": "file = open('file.txt', 'w'); file.write('written')",
    "a file that a reader wraps": (
        "import csv\nfile = csv.writer(open('file.txt', 'w')); file.writerow(['written'])"
    ),
    "an archive": (
        "import zipfile\nfile = zipfile.ZipFile('file.txt', 'w'); file.writestr('a', 'written')"
    ),
    "a generator within a block": (
        "import os\n"
        "def steps(write=os.write):\n"
        "    try:\n"
        "        yield 1\n"
        "    finally:\n"
        "        write(1, b'finalized')\n"
        "one = steps(); next(one)"
    ),
    "a weak reference that calls back": (
        "import os, weakref\n"
        "class Plain: pass\n"
        "one = Plain(); one.me = one\n"
        "weakref.kept = weakref.ref(one, lambda _, write=os.write: write(1, b'finalized'))\n"
        "del one"
    ),
    "a callback of the collector": (
        "import atexit, gc, os\n"
        "def shown(phase, about, write=os.write):\n"
        "    write(1, phase.encode())\n"
        "atexit.register(gc.callbacks.append, shown)"
    ),
    "a database": (
        "import sqlite3\n"
        "file = sqlite3.connect('file.txt')\n"
        "file.execute('pragma journal_mode = wal')\n"
        "file.execute('create table t (x)')\n"
        "file.commit()"
    ),
}
# What is at the end of most programs.
PLAIN = """
import collections, dataclasses, enum, functools, io, json, math, random, weakref
@dataclasses.dataclass
class Point:
    x: float
    y: float = 0.0
class Color(enum.Enum):
    RED = 1
@functools.lru_cache
def double(x):
    return 2 * x
points = [Point(float(i)) for i in range(10)]
me = {"points": points, "counts": collections.Counter("abc")}
me["me"] = me
double(1)
steps = (x for x in ())
list(steps)
with open("program.py") as file:
    text = io.StringIO(file.read())
numbers = np.random.default_rng(1).random(10)
kept = weakref.WeakValueDictionary({1: points[0]})
for i in range(20_000):
    numbers[i % 10] += i
"""


def run(program: str, folder: Path, *runner: str) -> str:
    """What a program prints, and the bytes of what it leaves in a folder."""
    folder.mkdir()
    (folder / "program.py").write_text(program)
    done = subprocess.run(
        [sys.executable, *runner, "program.py"],
        env={**os.environ, "PYTHONPATH": str(Path(fastnp.__file__).parents[1])},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    left = {path.name: path.stat().st_size for path in folder.glob("file.txt*")}
    return f"{done.stdout}{done.stderr}{left}"


@pytest.mark.parametrize("case", FINALIZED)
def test_what_is_left_is_finalized_as_under_numpy(case: str, tmp_path: Path) -> None:
    if case == "a database":
        pytest.importorskip("sqlite3")
    for number, order in enumerate(("import numpy as np\n{}", "{}\nimport numpy as np\n")):
        program = KEPT + order.format(FINALIZED[case])
        expected = run(program, tmp_path / f"plain {number}")
        assert expected != "{}"
        imported = program.replace("import numpy", "import fastnp")
        assert run(imported, tmp_path / f"import {number}") == expected
        assert run(program, tmp_path / f"whole {number}", "-m", "fastnp") == expected


@pytest.mark.parametrize("way", ["import", "whole"])
def test_the_collector_rests_where_nothing_is_finalized(way: str, tmp_path: Path) -> None:
    asks = "from fastnp import _finalization, _interpreter\n"
    asks += "print(_interpreter._collects_at_end, _finalization.is_collector_needed())"
    module = "fastnp" if way == "import" else "numpy"
    program = f"{KEPT}import {module} as np\n{PLAIN}\n{asks}"
    runner = () if way == "import" else ("-m", "fastnp")
    assert run(program, tmp_path / way, *runner) == "False False\n{}"
