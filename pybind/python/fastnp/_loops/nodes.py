"""Nodes of syntax trees that `rewrite` adds to a program's, and their places in the source."""

from __future__ import annotations

import ast
from typing import Any

from fastnp._loops.loop import parts_of


def as_tuple(node: ast.expr, may_be_set: bool = False) -> ast.expr:
    """A tuple in place of a list that is written out (`[a, b]`) and bound to no name: the program
    cannot tell the two apart. A set too, where its order does not matter. Other nodes as they are.
    """
    if isinstance(node, ast.List) or (may_be_set and isinstance(node, ast.Set)):
        return ast.Tuple(node.elts, ast.Load()) if node.elts else node
    return node


def placed(nodes: list[ast.stmt], like: ast.AST) -> list[ast.stmt]:
    """Give new nodes the place of `like`; those of the program keep theirs."""
    for node in nodes:
        place(node, like)
    return nodes


def hidden(nodes: list[ast.stmt]) -> list[ast.stmt]:
    """Give new nodes no place: they take that of what runs before, so debuggers do not stop."""
    for node in nodes:
        place(node, None)
    return nodes


def place(node: ast.AST, like: Any) -> None:
    """Give a node, and those below it that have none, the place of `like`."""
    line, column = (-1, -1) if like is None else (like.lineno, like.col_offset)
    where = {"lineno": line, "end_lineno": line, "col_offset": column, "end_col_offset": column}
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.expr, ast.stmt)):
            fields = vars(node)
            if "lineno" in fields:
                continue
            fields.update(where)
        waiting += parts_of(node)


def call(function: ast.expr, *arguments: ast.expr) -> ast.expr:
    return ast.Call(function, list(arguments), [])


def call_constant(function: ast.Constant, *arguments: ast.expr) -> ast.expr:
    """A call of what a constant stands for. `or` is gone when compiled: without it Python would
    warn that bytes cannot be called.
    """
    both = either(ast.Constant(function.value), ast.Constant(None))
    return ast.Call(both, list(arguments), [])


def field(value: ast.expr, name: str) -> ast.expr:
    return ast.Attribute(value, name, ast.Load())


def method(value: ast.expr, name: str, *arguments: ast.expr) -> ast.expr:
    return call(field(value, name), *arguments)


def compare(left: ast.expr, operator: ast.cmpop, right: Any) -> ast.expr:
    return ast.Compare(left, [operator], [ast.Constant(right)])


def is_none(value: ast.expr) -> ast.expr:
    return compare(value, ast.Is(), None)


def is_not_none(value: ast.expr) -> ast.expr:
    return compare(value, ast.IsNot(), None)


def either(*tests: ast.expr) -> ast.expr:
    return ast.BoolOp(ast.Or(), list(tests))


def both(*tests: ast.expr) -> ast.expr:
    return ast.BoolOp(ast.And(), list(tests))


def when(test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt] | None = None) -> ast.stmt:
    return ast.If(test, body, orelse or [])


def loaded(target: Any) -> ast.expr:
    """The value of a target: names, and tuples of names."""
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    return ast.Tuple([loaded(part) for part in target.elts], ast.Load())


def copied(node: Any, **fields: Any) -> Any:
    """A statement of the program with other fields, at its place."""
    made = type(node)(**{**{name: getattr(node, name) for name in node._fields}, **fields})
    for part in parts_of(made):
        place(part, None)
    return ast.copy_location(made, node)


def key_of(node: ast.AST) -> ast.Lambda | None:
    """The key of `min(items, key=lambda item: …)` or of such a `max`; `None` of other nodes."""
    match node:
        case ast.Call(
            func=ast.Name(id="min" | "max"),
            args=[items],
            keywords=[ast.keyword(arg="key", value=ast.Lambda() as key)],
        ) if not isinstance(items, ast.Starred):
            parameters = key.args
            others = parameters.kwonlyargs or parameters.vararg or parameters.kwarg
            is_of_one = len(parameters.posonlyargs + parameters.args) == 1
            return key if is_of_one and not others and not parameters.defaults else None
    return None
