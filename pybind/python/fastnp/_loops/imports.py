"""Imports of NumPy in users' modules: they give fastnp, bound to the same names."""

from __future__ import annotations

import ast

import numpy as _np

from fastnp._loops.loop import all_statements

__all__ = ["redirect"]


def redirect(tree: ast.Module | ast.Interactive) -> None:
    """Replace NumPy in every import statement of a module."""
    for node in all_statements(tree.body):
        if isinstance(node, ast.Import):
            node.names = [made for alias in node.names for made in _imported(alias)]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and _is_numpys(node.module or ""):
            if node.module == "numpy" and node.names[0].name == "*":
                # fastnp's own names beyond NumPy's are not asked for.
                node.names = [_alias(node.names[0], name, None) for name in _np.__all__]
            node.module = _ours(node.module or "")


def _is_numpys(module: str) -> bool:
    return module == "numpy" or module.startswith("numpy.")


def _ours(module: str) -> str:
    return "fastnp" + module.removeprefix("numpy")


def _imported(alias: ast.alias) -> list[ast.alias]:
    if not _is_numpys(alias.name):
        return [alias]
    name = _ours(alias.name)
    if alias.asname:
        return [_alias(alias, name, alias.asname)]
    # `import numpy.linalg` binds `numpy`.
    made = [_alias(alias, "fastnp", "numpy")]
    return made if alias.name == "numpy" else [_alias(alias, name, "numpy"), *made]


def _alias(like: ast.alias, name: str, asname: str | None) -> ast.alias:
    return ast.copy_location(ast.alias(name, asname), like)
