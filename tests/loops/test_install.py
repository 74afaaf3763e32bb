"""Programs under `python -m fastnp` behave as under `python`, and get fastnp as NumPy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastnp
import pytest
from fastnp._loops.install import ProgramFinder, install, is_own, uninstall

Agrees = Callable[..., str]
Run = Callable[..., "subprocess.CompletedProcess[str]"]

PROGRAM = '''
"""What a program sees of itself."""
import pickle
import sys

print(__name__, __doc__, __package__, __spec__ and __spec__.name, __file__, sys.argv)
print(type(__loader__).__name__, sys.path[0], sorted(globals()))
for i in range(3000):
    k = i

class Thing:
    def __init__(self, x):
        self.x = x

assert pickle.loads(pickle.dumps(Thing(3))).x == 3
assert Thing.__module__ == "__main__" and sys.modules["__main__"].Thing is Thing
print(i, k, sorted(globals()))

def fail(n):
    for i in range(n):
        while True:
            if i == 5:
                raise ValueError(i)
            break

what = sys.argv[1] if len(sys.argv) > 1 else ""
if what == "code":
    sys.exit(7)
if what == "message":
    sys.exit("the end")
if what == "interrupt":
    raise KeyboardInterrupt
if what == "warn":
    import warnings
    for i in range(2):
        warnings.warn("here")
if what == "raise":
    try:
        fail(9)
    except ValueError as error:
        raise RuntimeError("again") from error
if what == "hook":
    sys.excepthook = lambda kind, value, tb: print(kind, value, tb.tb_lineno, tb.tb_next)
    raise ValueError(3)
if what == "import":
    import broken
'''
WHATS = ["", "code", "message", "interrupt", "warn", "raise", "hook", "import"]


@pytest.mark.parametrize("what", WHATS)
def test_a_program_is_as_python_runs_it(agrees: Agrees, what: str) -> None:
    text = agrees(PROGRAM, *filter(None, [what]), modules={"broken.py": "x = 1\ny = (\n"})
    assert "__main__" in text


@pytest.mark.parametrize("what", ["", "code", "raise", "import"])
def test_a_module_is_as_python_runs_it(run: Run, what: str) -> None:
    modules = {"package/__init__.py": "", "package/part.py": PROGRAM, "broken.py": "for x:\n"}
    start: dict[str, Any] = {"modules": modules, "name": "unused.py"}
    plain = run("", "package.part", *filter(None, [what]), ours=False, options=("-m",), **start)
    ours = run("", "package.part", *filter(None, [what]), options=("-m",), **start)
    assert plain.stdout
    assert ours.stdout.replace("ProgramLoader", "SourceFileLoader") == plain.stdout
    assert (ours.stderr, ours.returncode) == (plain.stderr, plain.returncode)


@pytest.mark.parametrize("bad", ["x = (", "def f():\n    nonlocal x\n", "break", "x = '\\q' + 1 1"])
def test_programs_with_errors(agrees: Agrees, bad: str) -> None:
    assert "SyntaxError" in agrees(bad)
    assert "SyntaxError" in agrees("import bad", modules={"bad.py": bad})


def test_what_is_not_there(run: Run) -> None:
    missing = [run("", ours=ours, options=("missing.py",)) for ours in (False, True)]
    assert missing[0].stderr == missing[1].stderr
    assert missing[0].returncode == missing[1].returncode == 2
    for ours in (False, True):
        done = run("", "no.such", ours=ours, options=("-m",))
        assert done.returncode == 1
        assert "No module named" in done.stderr
    assert run("", options=("--help", "-m")).stdout.startswith("usage: python -m fastnp")


IMPORTS = """
import numpy
import numpy as np
import numpy.linalg
import numpy.fft as fourier, sys as system
from numpy import array, pi as PI
from numpy.linalg import norm
from numpy import *
explained = "explain" in globals()

def inside():
    import numpy.random, json
    from numpy import zeros
    return type(zeros(3)).__module__, numpy.__name__

for module in (numpy, np, numpy.linalg, fourier, system):
    print(module.__name__)
names = [type(x).__module__ for x in (array([1]), arange(3))]
print(names, PI, norm.__module__, explained, inside())
print(sorted(name for name in globals() if name[0] not in "_abcdefghijklmopqrstuvwxyz"))
print("fastnp" in globals(), inside.__code__.co_varnames)
"""


def test_numpys_name_gives_fastnp(run: Run) -> None:
    done = run(IMPORTS, modules={"user.py": IMPORTS})
    lines = done.stdout.splitlines()
    assert lines[:5] == ["fastnp", "fastnp", "fastnp.linalg", "fastnp.fft", "sys"], done.stderr
    assert lines[5].startswith("['fastnp', 'fastnp'] 3.14")
    assert "False ('fastnp', 'fastnp')" in lines[5]
    assert lines[7].startswith("False")
    assert run("import user", modules={"user.py": IMPORTS}).stdout == done.stdout


def test_only_the_users_modules(run: Run, tmp_path: Path) -> None:
    done = run(
        """
        import sys, json, user, numpy
        sys.path.insert(0, "site-packages")
        import installed
        print(type(user.__loader__).__name__, type(json.__loader__).__name__)
        print(installed.np.__name__, user.np.__name__)
        """,
        modules={
            "user.py": "import numpy as np",
            "site-packages/installed.py": "import numpy as np",
        },
    )
    assert done.stdout.splitlines() == ["ProgramLoader SourceFileLoader", "numpy fastnp"]
    kept = [path.name for path in tmp_path.rglob("*.pyc") if path.name.startswith("user")]
    assert kept == [f"user.{sys.implementation.cache_tag}.opt-fastnp.pyc"]


CACHED = """
import numpy as np, other
def f(n):
    total, best = 0.0, None
    for i in range(n):
        for j in range(2):
            if best is None or i * j % 7 > best: best = i * j % 7
        total += best
    k = 0
    while k < n: k += 1
    else: total += 1
    return total, k, [x for x in reversed(range(3))]
class Held:
    def work(self):
        found = []
        for i in reversed(range(400)):
            try: found.append(1 / (i % 5))
            except ZeroDivisionError: continue
        return sum(found)
print(f(3000), other.g(np.arange(5.0)), Held().work(), 1 is 1)
for k in range(3000): other.count += k
print(other.count, k)
def h():
    for i in range(3):
        if i == 2: raise ValueError(i)
h()
"""
OTHER = """
count = 0
def g(x):
    s = 0.0
    for _ in range(900):
        for v in x: s += v
    return s
"""


def run_there(folder: Path) -> str:
    """What a program in a folder prints as an error."""
    environment = {**os.environ, "PYTHONPATH": str(Path(fastnp.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-m", "fastnp", "program.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr


def test_code_in_files(agrees: Callable[..., str], tmp_path: Path) -> None:
    """The first run writes code, the second reads it: the same output, warnings and tracebacks."""
    first = agrees(CACHED, modules={"other.py": OTHER})
    files = {path: path.read_bytes() for path in tmp_path.rglob("*.opt-fastnp.pyc")}
    assert {path.name.partition(".")[0] for path in files} == {"program", "other"}
    assert agrees(CACHED, modules={"other.py": OTHER}) == first
    assert {path: path.read_bytes() for path in files} == files
    # At another place, where a copy has been put with its files.
    other = tmp_path / "other"
    shutil.copytree(tmp_path, other)
    moved = run_there(other)
    assert f'{other}/program.py", line 25, in h' in moved
    # A text that has changed, and files that say nothing.
    assert agrees(CACHED, modules={"other.py": OTHER.replace("900", "9")}) != first
    for path in files:
        path.write_bytes(path.read_bytes()[:40])
    assert agrees(CACHED, modules={"other.py": OTHER}) == first
    assert all(path.read_bytes() == contents for path, contents in files.items())


def test_code_in_files_is_compiled_and_reported(run: Run) -> None:
    """Loops of code that was read from a file are compiled, and their trees made then."""
    source = CACHED.replace("h()\n", "").replace("3000", "300_000")
    for _ in range(2):
        done = run(source, modules={"other.py": OTHER}, options=("--report",))
        places = [line for line in done.stderr.splitlines() if ": compiled: " in line]
        assert len(places) >= 2


def test_no_code_is_written_where_python_would_not(run: Run, tmp_path: Path) -> None:
    run(CACHED, modules={"other.py": OTHER}, environment={"PYTHONDONTWRITEBYTECODE": "1"})
    assert not [*tmp_path.rglob("*.pyc")]


def test_what_is_the_users(tmp_path: Path) -> None:
    import json

    assert is_own(str(tmp_path / "x.py"))
    assert not is_own(json.__file__)
    assert not is_own(pytest.__file__)
    assert not is_own(fastnp.__file__)
    assert not is_own("<frozen os>")


PROCESSES = """
import multiprocessing, sys
import numpy as np
import user

class Thing:
    def __init__(self, x):
        self.x = x

def work(thing):
    s = 0
    for k in range(thing.x):
        s += k
    code = work.__code__.co_consts
    ours = any(type(c).__name__ == "Site" for c in code)
    return s, np.__name__, user.np.__name__, __name__, ours

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    with context.Pool(1) as pool:
        print(*pool.map(work, [Thing(3), Thing(4)]))
"""


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_processes_have_the_same(run: Run, method: str) -> None:
    done = run(PROCESSES, method, modules={"user.py": "import numpy as np"})
    name = "__main__" if method == "fork" else "__mp_main__"
    assert done.stdout.split("\n")[0] == " ".join(
        repr((s, "fastnp", "fastnp", name, True)) for s in (3, 6)
    ), done.stderr


def test_runpy(run: Run) -> None:
    done = run(
        """
        import runpy
        print(runpy.run_path("script.py")["np"].__name__, runpy.run_module("part")["np"].__name__)
        """,
        modules={
            "script.py": "import numpy as np",
            "part.py": "import numpy as np",
        },
    )
    assert done.stdout == "fastnp fastnp\n", done.stderr


def test_the_report(run: Run) -> None:
    source = """
    def f(n):
        for i in range(n):
            x = i
    f(3000000)
    f(3000000)
    for name.x in []: pass
    """
    done = run(source, options=("--report",))
    assert "program.py:3: compiled: " in done.stderr
    assert "program.py:7: not compiled: its target" in done.stderr
    assert run(source).stderr == ""


def test_loops_may_be_off(run: Run) -> None:
    source = """
    import numpy as np
    def f():
        for i in range(3): pass
    print(f.__code__.co_consts, np.__name__)
    """
    done = run(source, environment={"FASTNP_LOOPS": "0"})
    assert done.stdout == "(None, 3) fastnp\n", done.stderr


def test_debuggers_and_coverage(agrees: Agrees) -> None:
    agrees(
        """
        import sys
        seen = []
        def trace(frame, event, argument):
            seen.append((event, frame.f_code.co_name, frame.f_lineno, frame.f_code.co_filename))
            return trace
        def f(n):
            for i in range(n):
                while True:
                    if i > 2: break
                    i += 1
            for i in [1, 2]: pass
        sys.settrace(trace)
        f(9)
        f(9)
        sys.settrace(None)
        print(seen)
        """
    )


GARBAGE = """
import gc, weakref

class Node:
    def __del__(self):
        print("deleted", self.name)

def cycle(name):
    node = Node()
    node.self, node.name = node, name
    return weakref.ref(node)

dead = cycle("early")
print(gc.isenabled(), gc.get_threshold(), gc.collect() > 0, dead())
kept = Node()
kept.self, kept.name = kept, "late"
print(any(kept is thing for thing in gc.get_objects()), globals() in gc.get_referrers(kept))
"""


def test_garbage_is_collected(agrees: Agrees) -> None:
    """What was there before the program is left out, what the program makes is not."""
    assert "deleted late" in agrees(GARBAGE)


def test_pdb(run: Run) -> None:
    source = """
    def f(n):
        for i in range(n):
            s = i
        return s
    import pdb, sys
    pdb.Pdb(stdin=open("commands"), stdout=sys.stdout, nosigint=True, readrc=False).set_trace()
    f(3)
    print("end")
    """
    commands = "tbreak 4\ncontinue\np i\nnext\nnext\np n\ncontinue\n"
    shown = [run(source, ours=ours, modules={"commands": commands}) for ours in (False, True)]
    assert shown[0].stdout == shown[1].stdout
    assert "end" in shown[1].stdout


def test_install_in_a_program(run: Run) -> None:
    done = run(
        "import fastnp\nfastnp.install()\nfastnp.install()\nimport user\nprint(user.np.__name__)",
        ours=False,
        modules={"user.py": "import numpy as np"},
    )
    assert done.stdout == "fastnp\n", done.stderr


def test_install_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "users_module.py").write_text("import numpy as np\n")
    monkeypatch.syspath_prepend(tmp_path)
    before = list(sys.meta_path)
    install()
    try:
        assert sum(isinstance(finder, ProgramFinder) for finder in sys.meta_path) == 1
        import users_module  # type: ignore[import-not-found]

        assert users_module.np is fastnp
    finally:
        uninstall()
    assert sys.meta_path == before
    uninstall()


def test_a_warning_is_shown_once_a_line(agrees: Callable[..., str]) -> None:
    """Modules of NumPy's, and of the program's, that are imported meanwhile change nothing."""
    source = """
        import numpy as np
        def f(n):
            return (np.ones(n) / np.zeros(n)).sum()
        for n in range(3):
            print(f(n + 1), np.fft.fft(np.ones(4)).real.sum(), np.round(np.ones(3), 1).sum())
            import other
            print(f(3), other.value, np.polynomial.Polynomial([1, 2])(3), np.real(1j))
    """
    shown = agrees(source, modules={"other.py": "value = 1 is 1\nfor i in range(3): value += i"})
    assert shown.count("divide by zero") == 1
    assert shown.count("SyntaxWarning") == 1
