"""Cells of a notebook get fastnp as NumPy, and their loops are sites."""

from __future__ import annotations

import ast
import sys
from types import CodeType
from typing import Any

import fastnp
import pytest
from fastnp._loops.install import uninstall
from fastnp._loops.site import Site

from tests.loops.mock import mocked

CELL = """
import numpy as np
s = 0
for k in range(5000):
    s += k
def f(n):
    t = 0
    for k in range(n):
        t += k
    return t
s + f(4)
"""


class Compiler:
    """What IPython's shell compiles with, as far as a cell needs it."""

    def __call__(self, source: Any, filename: str, symbol: str) -> CodeType:
        return compile(source, filename, symbol)


class Shell:
    """IPython's shell as far as a cell needs it: each statement is compiled and run alone."""

    def __init__(self) -> None:
        self.ast_transformers: list[Any] = []
        self.compile = Compiler()
        self.names: dict[str, Any] = {}

    def run_cell(self, source: str) -> Any:
        tree = ast.parse(source)
        for transformer in self.ast_transformers:
            tree = transformer.visit(tree)
        *statements, last = ast.fix_missing_locations(tree).body
        for statement in statements:
            module = ast.Module([statement], [])
            exec(self.compile(module, "<cell 1>", "exec"), self.names)
        assert isinstance(last, ast.Expr)
        return eval(compile(ast.Expression(last.value), "<cell 1>", "eval"), self.names)


@pytest.mark.parametrize("seed", range(3))
def test_cells(seed: int) -> None:
    shell = Shell()
    before = list(sys.meta_path)
    try:
        fastnp.load_ipython_extension(shell)
        fastnp.load_ipython_extension(shell)
        assert len(shell.ast_transformers) == 1
        with mocked(seed, refuses=0):
            assert shell.run_cell(CELL) == sum(range(5000)) + 6
        assert shell.names["np"] is fastnp
        constants = shell.names["f"].__code__.co_consts
        (site,) = {value for value in constants if isinstance(value, Site)}
        assert site.filename == "<cell 1>"
        assert not [name for name in shell.names if "." in name]
        fastnp.unload_ipython_extension(shell)
        shell.names.clear()
        assert shell.run_cell(CELL) == sum(range(5000)) + 6
        assert shell.names["np"].__name__ == "numpy"
    finally:
        uninstall()
    assert sys.meta_path == before


def test_cells_of_ipython_itself() -> None:
    shells = pytest.importorskip("IPython.core.interactiveshell")
    shell = shells.InteractiveShell()
    try:
        shell.run_line_magic("load_ext", "fastnp")
        result = shell.run_cell(CELL)
        result.raise_error()
        assert result.result == sum(range(5000)) + 6
        assert shell.user_ns["np"] is fastnp
        failed = shell.run_cell("for k in range(3):\n    1 // k")
        assert isinstance(failed.error_in_exec, ZeroDivisionError)
    finally:
        uninstall()
