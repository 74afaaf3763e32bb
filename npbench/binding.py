"""
Run the source text of a NumPy program with `numpy` replaced by another module.

The program is compiled once for each framework and executed in its own namespace, whose built-in
`__import__` returns the other module for `numpy`. No global state changes: `sys.modules` keeps the
real NumPy, which the framework itself, the runner and SciPy use.

The caller chooses the file to run and the module to bind.
"""

from __future__ import annotations

import builtins
import importlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

Compile = Callable[[str, str], CodeType | None]


def compiled(source: str, filename: str) -> CodeType:
    """The code of a program as it is."""
    return compile(source, filename, "exec")


def run_source(path: Path, np: ModuleType, make: Compile = compiled) -> dict[str, Any]:
    """Execute the file at `path` with `np` as its `numpy`; return its global names.

    `make` makes code of the source: a framework may rewrite it.
    """
    # A plain dict: CPython caches look-ups of built-in names for no other mapping, and a slower
    # look-up of `range` would be part of the kernel's time.
    own_builtins = dict(vars(builtins))
    own_builtins["__import__"] = importer(np)
    namespace: dict[str, Any] = {
        "__name__": path.stem,
        "__file__": str(path),
        "__builtins__": own_builtins,
    }
    exec(make(path.read_text(encoding="utf-8"), str(path)) or "", namespace)
    return namespace


def importer(np: ModuleType) -> Callable[..., Any]:
    """An `__import__` for which `numpy` is `np` and `numpy.x.y` is `np.x.y`."""

    def bound_import(
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        top, *rest = name.split(".")
        if level != 0 or top != "numpy":
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        submodule = descend(np, rest)
        return submodule if fromlist else np

    return bound_import


def descend(np: ModuleType, parts: Sequence[str]) -> Any:
    """The submodule of `np` named by `parts`, imported where it is not an attribute yet."""
    found: Any = np
    for depth, part in enumerate(parts, start=1):
        if not hasattr(found, part):
            importlib.import_module(".".join([np.__name__, *parts[:depth]]))
        found = getattr(found, part)
    return found
