"""Rewrite one of NumPy's test files so that its `np` is another module.

`import numpy as np` names the module under test. `from numpy… import name` keeps NumPy's private
names, but what is also public (the object `numpy.<name>` itself, or one of `numpy.testing`) becomes
the module's own. Lines keep their numbers, so that a failure points into NumPy's file. Compiled
test modules (`_rational_tests` and the like) stay NumPy's.
"""

from __future__ import annotations

import ast
import importlib
import re
from types import ModuleType
from typing import Any

NOWHERE = object()
# Where a private module's functions may be public, dotted from the package.
PUBLIC = [
    "",
    "testing",
    "lib.stride_tricks",
    "lib.array_utils",
    "lib",
    "linalg",
    "random",
    "exceptions",
]
# How many random cases NumPy's tests of overlaps draw at least: a tenth of them, as most of their
# 35 s pass in NumPy's solver, whichever arrays it is given.
RANDOM_CASES = re.compile(r"(?<=min_count=)(\d+)0\b")
SUPPORT = "from tests.numpy_suite.rewrite import ours as _ours; "


def rewritten(source: str, module: str) -> str:
    """The test file's text with `module` under test."""
    source = RANDOM_CASES.sub(r"\1", source)
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import) and any(own(alias) for alias in node.names):
            line = lines[node.lineno - 1]
            lines[node.lineno - 1] = line.replace("import numpy", f"import {module}")
        elif isinstance(node, ast.ImportFrom) and replaceable(node):
            names = [alias.asname or alias.name for alias in node.names]
            asked = [alias.name for alias in node.names]
            last = node.end_lineno or node.lineno
            call = f"{', '.join(names)}, = _ours({module!r}, {node.module!r}, {asked!r})"
            lines[last - 1] += f"; {call}"
    first = next(n for n, text in enumerate(lines) if text.startswith(("import ", "from ")))
    lines[first] = SUPPORT + lines[first]
    return "\n".join(lines) + "\n"


def own(alias: ast.alias) -> bool:
    """Whether an import is of NumPy, or names a public module of its: both have a counterpart."""
    folder, _, last = alias.name.rpartition(".")
    if not folder:
        return last == "numpy"
    return folder.partition(".")[0] == "numpy" and alias.asname is not None and last[0] != "_"


def replaceable(node: ast.ImportFrom) -> bool:
    """Whether the statement takes something from NumPy, and not the insides of its test tools."""
    path = node.module or ""
    return path.split(".")[0] == "numpy" and not path.startswith("numpy.testing.")


def ours(module: str, path: str, names: list[str]) -> list[Any]:
    """The objects under test for names imported from a NumPy module."""
    return [twin(module, path, name) for name in names]


def attribute(module: Any, path: str) -> Any:
    """A submodule reached by attributes."""
    for part in path.split(".") if path else ():
        module = getattr(module, part)
    return module


def twin(module: str, path: str, name: str) -> Any:
    """The replacement of `from path import name`: the public name of fastnp, else NumPy's."""
    import numpy

    home = importlib.import_module(path)
    if not hasattr(home, name):
        return importlib.import_module(f"{path}.{name}")
    original = getattr(home, name)
    tested = importlib.import_module(module)
    if tested is numpy or name.startswith("_"):
        return original
    if isinstance(original, ModuleType) and original.__name__.partition(".")[0] == "numpy":
        return importlib.import_module(module + original.__name__.removeprefix("numpy"))
    for place in PUBLIC:
        if getattr(attribute(numpy, place), name, NOWHERE) is original:
            return getattr(attribute(tested, place), name)
    return original
