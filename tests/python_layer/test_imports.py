"""The private modules of the package import each other in one direction.

The order is the list in the docstring of `fastnp`; the test reads it there.
"""

from __future__ import annotations

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import fastnp

PACKAGE = Path(fastnp.__file__).parent
ORDER = re.findall(r"^- `(_\w+)`:", fastnp.__doc__ or "", re.MULTILINE)


def module_of(path: Path) -> str:
    """The name of a file's module inside the package: `_fallback.call`."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


MODULES = {module_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imports_of(path: Path) -> set[str]:
    """The private modules that a file imports, also inside its functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            inner = name.removeprefix("fastnp.")
            while inner != name and inner not in MODULES and inner != "_fastnp":
                inner = inner.rpartition(".")[0] if "." in inner else name
            if inner != name:
                found.add(inner)
    return found


def test_every_private_module_is_in_the_list() -> None:
    found = {name.partition(".")[0] for name in MODULES if name} | {"_fastnp"}
    assert found == set(ORDER)


def test_imports_follow_the_list() -> None:
    rank = {name: i for i, name in enumerate(ORDER)}
    found = []
    for module, path in MODULES.items():
        top = module.partition(".")[0]
        for target in imports_of(path) if module else ():
            other = target.partition(".")[0]
            if other != top and rank[other] > rank[top]:
                found.append(f"{module} imports {target}")
    assert not found


def test_files_import_in_no_circle() -> None:
    graph = {module: imports_of(path) - {"_fastnp"} for module, path in MODULES.items() if module}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(f"a circle of imports: {error.args[1]}") from None
