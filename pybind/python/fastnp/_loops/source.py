"""The source of a function as a syntax tree, found by its code and not by its name."""

from __future__ import annotations

import ast
import inspect
import linecache
from functools import lru_cache
from types import CodeType, FunctionType
from typing import TypeAlias
from weakref import WeakKeyDictionary

from fastnp._loops.loop import below

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def defining(function: FunctionType, tree: ast.Module | None = None) -> Definition:
    """The node that defines a function, at the lines and columns of its file.

    `tree` is that of the whole file; without it, the node belongs to a tree that others hold too.
    Raises `OSError` if the source is not there or has changed.
    """
    definitions = _definitions(source_text(function)) if tree is None else _by_place(tree)
    found = _matching(definitions, function.__code__)
    if found is None:
        raise OSError(f"the file of {function.__qualname__} has changed")
    return found


def source_text(function: FunctionType) -> str:
    """The file of a function, or `OSError`."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        # Cells of notebooks and the like.
        lines, _ = inspect.findsource(code)
    return "".join(lines)


# The functions and lambdas of a file by their names and first lines.
Definitions: TypeAlias = dict[tuple[str, int], list[Definition]]


@lru_cache(maxsize=16)
def _definitions(text: str) -> Definitions:
    try:
        return _by_place(ast.parse(text))
    except (SyntaxError, ValueError) as error:
        raise OSError(str(error)) from None


def _by_place(tree: ast.Module) -> Definitions:
    found: Definitions = {}
    for node in below(tree):
        if isinstance(node, ast.Lambda):
            found.setdefault(("<lambda>", node.lineno), []).append(node)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            line = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found.setdefault((node.name, line), []).append(node)
    return found


def _matching(definitions: Definitions, code: CodeType) -> Definition | None:
    """The definition that a code was compiled from: by its name, its first line, and if several
    lambdas begin in one line, its columns.
    """
    found = definitions.get((code.co_name, code.co_firstlineno), [])
    if len(found) > 1:
        found = [node for node in found if _covers(node, code)]
    # Of lambdas inside one another the innermost is no wider than the code.
    return min(found, key=_size) if found else None


def code_within(code: CodeType, node: ast.FunctionDef | ast.Lambda) -> CodeType | None:
    """The code that a definition right within a function is compiled to; `None` if it is not told
    apart from others.
    """
    name = node.name if isinstance(node, ast.FunctionDef) else "<lambda>"
    lines = [node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))]
    found = [
        inner
        for inner in code.co_consts
        if isinstance(inner, CodeType)
        and (inner.co_name, inner.co_firstlineno) == (name, min(lines))
    ]
    if len(found) > 1:
        found = [inner for inner in found if _covers(node, inner)]
    return found[0] if len(found) == 1 else None


def _size(node: Definition) -> int:
    return sum(1 for _ in below(node))


def _covers(node: Definition, code: CodeType) -> bool:
    """Whether all of a code lies within a definition."""
    first = (node.lineno, node.col_offset)
    last = (node.end_lineno or node.lineno, node.end_col_offset or 0)
    for line, end_line, column, end_column in code.co_positions():
        if line is None or end_line is None or column is None or end_column is None:
            continue
        if (line, column) == (code.co_firstlineno, 0) and end_column == 0:
            continue  # `RESUME`, at no place of the source.
        if not (first <= (line, column) and (end_line, end_column) <= last):
            return False
    return True


Statements: TypeAlias = tuple[ast.arguments, list[ast.stmt]]
# By code, which functions have in common that one `def` has made.
_STATEMENTS: WeakKeyDictionary[CodeType, Statements | None] = WeakKeyDictionary()


def as_statements(function: FunctionType) -> Statements | None:
    """The parameters and the body of a function; a lambda returns its expression. `None` if there
    is no source, or it is a generator or coroutine.
    """
    code = function.__code__
    if code not in _STATEMENTS:
        _STATEMENTS[code] = _statements_of(function)
    return _STATEMENTS[code]


def remember(code: CodeType, parameters: ast.arguments, body: list[ast.stmt]) -> None:
    """Notes the source of a function that has no file."""
    _STATEMENTS[code] = parameters, body


def _statements_of(function: FunctionType) -> Statements | None:
    if function.__code__.co_flags & (
        inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    ):
        return None
    try:
        node = defining(function)
    except (OSError, TypeError):
        return None
    if isinstance(node, ast.Lambda):
        return node.args, [ast.copy_location(ast.Return(node.body), node.body)]
    return (node.args, node.body) if isinstance(node, ast.FunctionDef) else None
