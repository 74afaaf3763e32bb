"""Run NumPy's tests that are known to fail to their end: `python -m tests.numpy_suite.rest`.

A test that stops at an assertion that is known to fail may hide a wrong value behind it. Here each
statement of such a test stands in a `try` block: its error is recorded, and the next statement
runs. Prints the statements that failed; `known_failures.txt` says which are expected to.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy

from tests.numpy_suite.rewrite import rewritten
from tests.numpy_suite.watch import MODES, ROOT, known_failures, numpys_options

MARK = "noted: "
# What a guard does with an error; the test fails with all of them at its end.
GUARD = """
try:
    pass
except (KeyboardInterrupt, GeneratorExit):
    raise
except BaseException as _error:
    if type(_error).__name__ in ("Skipped", "XFailed"):
        raise
    _noted.append({line!r} + f"{{type(_error).__name__}}: " + " ".join(str(_error).split())[:160])
"""
# Without its result each call of this one is repeated without end.
ENDLESS = {"test_internal_overlap_fuzz"}
# Statements that stay as they are: they define, or end a loop or a function.
PLAIN = (
    *(ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal),
    *(ast.Return, ast.Pass, ast.Continue, ast.Break, ast.Delete),
)


class Guarded(ast.NodeTransformer):
    """Guards the statements of the tests of these names."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Guard the statements of a test."""
        if node.name in self.names:
            end = f"if _noted: raise AssertionError({MARK!r} + '\\n{MARK}'.join(_noted))"
            body = [guarded(statement) for statement in node.body]
            node.body = [*ast.parse("_noted = []").body, *body, *ast.parse(end).body]
        return node


def guarded(statement: ast.stmt) -> ast.stmt:
    """A statement that notes its error; the statements of a loop, a branch or a block likewise."""
    helper = isinstance(statement, ast.FunctionDef) and statement.name == "check"
    if isinstance(statement, PLAIN) and not helper:
        return statement
    expects = isinstance(statement, ast.With) and any(
        re.search("raises|warns", ast.unparse(item)) for item in statement.items
    )
    if not expects:
        for part in ("body", "orelse"):
            inner = getattr(statement, part, None)
            if inner and not isinstance(statement, ast.Try):
                setattr(statement, part, [guarded(s) for s in inner])
    if helper:
        return statement
    line = f"{statement.lineno}: {ast.unparse(statement).splitlines()[0][:120]}  =>  "
    guard = ast.parse(GUARD.format(line=line)).body[0]
    assert isinstance(guard, ast.Try)
    guard.body = [statement]
    return guard


def run(name: str, tests: set[str], mode: str, folder: Path) -> list[str]:
    """The statements that fail in the tests of a file, with the test."""
    source = rewritten((Path(numpy.__file__).parent / name).read_text(), "fastnp")
    tree = Guarded(tests).visit(ast.parse(source))
    place = folder / ("test_" + name.replace("/", "_").replace("_tests_test_", "_").lstrip("_"))
    place.write_text(ast.unparse(ast.fix_missing_locations(tree)))
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "--tb=short"]
    done = subprocess.run(
        [*command, *numpys_options(folder), "-k", " or ".join(sorted(tests)), str(place)],
        env={**os.environ, **MODES[mode], "PYTHONPATH": str(ROOT)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    test, found = "", dict[str, None]()
    for text in done.stdout.splitlines():
        if heading := re.match(r"_{3,} (.*?) _{3,}", text):
            test = heading.group(1)
        elif re.match(rf"E +.*{MARK}", text):
            found[f"{test}\n    {text.partition(MARK)[2].strip()}"] = None
    return [*found, done.stdout.strip().splitlines()[-1]]


def main() -> None:
    """Run the known failures of each file, and print what fails in them."""
    parser = argparse.ArgumentParser(prog="python -m tests.numpy_suite.rest", description=__doc__)
    parser.add_argument("--files", nargs="*", default=[""], help="files, or parts of their names")
    parser.add_argument("--mode", default="default", choices=list(MODES))
    arguments = parser.parse_args()
    tests = defaultdict(set)
    for label in known_failures(arguments.mode):
        name, _, test = label.partition("::")
        test = test.partition("[")[0].rpartition("::")[2]
        if test not in ENDLESS and any(part in name for part in arguments.files):
            tests[name].add(test)
    with tempfile.TemporaryDirectory(prefix="numpy-suite-") as folder:
        for name in sorted(tests):
            print(name, *run(name, tests[name], arguments.mode, Path(folder)), sep="\n", flush=True)


if __name__ == "__main__":
    main()
