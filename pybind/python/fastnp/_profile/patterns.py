"""Patterns in a program's text that cost time whatever runs them: what stands in loops.

Leaves to `doctor` what only a run shows.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Finding", "find"]


class Finding(NamedTuple):
    """A place in a program, what is slow there, and what to write instead."""

    file: str
    line: int
    problem: str
    advice: str


GROWING = frozenset("append concatenate hstack vstack column_stack insert r_ c_".split())

GROWS = "the array {name} is copied in each turn, to be a little longer"
COLLECT = "collect the parts in a list, and call np.concatenate once behind the loop"
ELEMENTS = "a Python loop over the elements of {name}"
COMPILE = (
    "one expression over the whole array; if a turn needs the one before it, put @np.jit above the "
    "function, or run the program with python -m fastnp"
)
LISTS = "{name} makes Python's numbers of an array in each turn"
KEEP = "keep the array, and convert it once behind the loop"


def find(source: str, file: str) -> list[Finding]:
    """The patterns in a program's text; none where it does not parse."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return []
    found: dict[tuple[int, str], Finding] = {}
    for loop, compiled in _loops(tree, False):
        for line, problem, advice in _in_loop(loop, compiled):
            found.setdefault((line, problem), Finding(file, line, problem, advice))
    return sorted(found.values(), key=lambda finding: finding.line)


def _loops(node: ast.AST, compiled: bool) -> Iterator[tuple[ast.For | ast.While, bool]]:
    """The loops below a node, and whether `jit` compiles each."""
    for child in ast.iter_child_nodes(node):
        inside = compiled
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inside = any("jit" in ast.unparse(d) for d in child.decorator_list)
        if isinstance(child, (ast.For, ast.While)):
            yield child, inside
        yield from _loops(child, inside)


def _in_loop(loop: ast.For | ast.While, compiled: bool) -> Iterator[tuple[int, str, str]]:
    for node in (inner for statement in loop.body for inner in ast.walk(statement)):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            name = ast.unparse(node.targets[0])
            if _called(node.value) in GROWING and name in _names(node.value):
                yield node.lineno, GROWS.format(name=name), COLLECT
        if isinstance(node, ast.Call) and _called(node) == "tolist" and not node.args:
            yield node.lineno, LISTS.format(name=ast.unparse(node)), KEEP
    if isinstance(loop, ast.For) and not compiled:
        indexed = _indexed_by_element(loop)
        if indexed is not None:
            yield loop.lineno, ELEMENTS.format(name=indexed), COMPILE


def _indexed_by_element(loop: ast.For) -> str | None:
    """The array `a` of `for i in range(len(a))` or `range(a.shape[0])` whose body has `a[i]`."""
    if not (isinstance(loop.iter, ast.Call) and _called(loop.iter) == "range"):
        return None
    if not isinstance(loop.target, ast.Name):
        return None
    for node in (inner for statement in loop.body for inner in ast.walk(statement)):
        if (
            isinstance(node, ast.Subscript)
            and isinstance(node.slice, ast.Name)
            and node.slice.id == loop.target.id
        ):
            name = ast.unparse(node.value)
            ends = (f"len({name})", f"{name}.shape[", f"{name}.size")
            if any(end in ast.unparse(loop.iter) for end in ends):
                return name
    return None


def _called(node: ast.AST) -> str:
    """The last name of what is called, or of what is indexed."""
    if isinstance(node, ast.Call):
        node = node.func
    elif isinstance(node, ast.Subscript):
        node = node.value
    else:
        return ""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _names(node: ast.AST) -> set[str]:
    return {ast.unparse(n) for n in ast.walk(node) if isinstance(n, (ast.Name, ast.Attribute))}
