"""`%load_ext fastnp`: the cells of a notebook use fastnp, and their loops run compiled."""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any

from fastnp._loops.imports import redirect
from fastnp._loops.install import install
from fastnp._loops.report import UNITS
from fastnp._loops.rewrite import fill, rewrite
from fastnp._state import loops as _switch

__all__ = ["load_ipython_extension", "unload_ipython_extension"]


class CellTransformer(ast.NodeTransformer):
    """One of IPython's `ast_transformers`: rewrites the tree of a cell."""

    def visit(self, node: ast.AST) -> ast.AST:
        """The cell, rewritten; not called for nodes inside."""
        if isinstance(node, ast.Module | ast.Interactive):
            redirect(node)
        if _switch.enabled() and isinstance(node, ast.Module):
            UNITS.append(rewrite(node, "<cell>"))
        return node


_transformer = CellTransformer()


def load_ipython_extension(shell: Any) -> None:
    """Rewrite the cells run from now on, and the user's modules imported from now on."""
    if _transformer in shell.ast_transformers:
        return
    install()
    shell.ast_transformers.append(_transformer)
    compiler = type(shell.compile)
    if not issubclass(compiler, _Filling):
        # What stands for sites in a tree is replaced in the code that IPython makes of it.
        shell.compile.__class__ = type(compiler.__name__, (_Filling, compiler), {})


def unload_ipython_extension(shell: Any) -> None:
    """Leave cells as they are from now on."""
    if _transformer in shell.ast_transformers:
        shell.ast_transformers.remove(_transformer)


class _Filling:
    """A compiler of IPython's whose code has the sites of its tree."""

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        code = super().__call__(*arguments, **keywords)  # type: ignore[misc]
        return fill(code) if isinstance(code, CodeType) else code


load_ipython_extension.__module__ = unload_ipython_extension.__module__ = "fastnp"
