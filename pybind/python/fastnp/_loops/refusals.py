"""Loops that stay with the interpreter, whatever the types are: known from their source."""

from __future__ import annotations

import ast
from typing import TypeGuard

from fastnp._loops.loop import Facts, each_turn, in_scope, is_plain_definition, statements
from fastnp._loops.nodes import key_of


def refusal(loop: ast.For | ast.While, facts: Facts) -> str:
    """Why a loop cannot be a site, whatever the types are; empty if it can."""
    targets: set[str] = set()
    if isinstance(loop, ast.For):
        parts = list(ast.walk(loop.target))
        if not all(
            isinstance(part, (ast.Name, ast.Tuple, ast.List, ast.expr_context)) for part in parts
        ):
            return "its target is no name or tuple of names"
        targets = {part.id for part in parts if isinstance(part, ast.Name)}
    _, *body = statements(loop)
    for node in facts.nodes(*body):
        reason = FORBIDDEN.get(type(node), "")
        if isinstance(node, ast.Name):
            if node.id.startswith("__") and not node.id.endswith("__"):
                reason = f"the private name {node.id}"
            elif isinstance(node.ctx, ast.Del) and node.id in targets:
                reason = f"deletes its target {node.id}"
        elif isinstance(node, ast.ExceptHandler) and node.name in targets:
            reason = f"deletes its target {node.name}"
        elif isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            reason = "imports unknown names"
        if reason:
            return reason
    return never_compiled(loop, facts)


def never_compiled(loop: ast.For | ast.While, facts: Facts) -> str:
    """What the interpreter has to do in each turn, of the loop or of one inside, whatever the types
    are; empty if there is no such statement.
    """
    items = getattr(loop.iter, "elts", []) if isinstance(loop, ast.For) else []
    if any(isinstance(item, ast.Lambda) for item in items):
        return "a loop over functions"
    for statement in each_turn(loop):
        if is_plain_definition(statement):
            continue
        if is_left(statement):
            return f"line {statement.lineno}: a statement of kind {type(statement).__name__}"
        if isinstance(statement, ast.Assert):
            # Its message is evaluated where the loop is left.
            nodes = [*in_scope(statement.test)]
        elif isinstance(statement, (ast.If, *SIMPLE)):
            nodes = [*facts.nodes(statement)]
        else:
            continue
        passed = {id(part) for call in nodes if is_plain_call(call) for part in call.args}
        passed |= {id(key_of(node)) for node in nodes}
        for node in nodes:
            reason = "" if id(node) in passed else NEVER.get(type(node), "")
            if isinstance(node, ast.Dict) and None in node.keys:
                reason = "`**` in a dictionary"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                reason = "a call of print" if node.func.id == "print" else ""
            if reason:
                return f"line {statement.lineno}: {reason}"
    return ""


def is_left(statement: ast.stmt) -> bool:
    """Whether the interpreter has to run a statement."""
    if isinstance(statement, ast.Delete):
        return not all(isinstance(target, ast.Subscript) for target in statement.targets)
    return isinstance(statement, LEFT) or bool(getattr(statement, "finalbody", []))


def is_plain_call(node: ast.AST) -> TypeGuard[ast.Call]:
    """Whether a node may be a call of a function of the program's, which may be given others."""
    return isinstance(node, ast.Call) and not (
        isinstance(node.func, ast.Name) and node.func.id in ("map", "filter")
    )


SIMPLE = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign)
# Statements that the interpreter has to run.
LEFT = (
    *(getattr(ast, "TryStar", ast.With), ast.With, ast.Match, ast.Raise, ast.Return),
    *(ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom),
)
# What compiled code has no values for.
NEVER: dict[type, str] = {
    ast.JoinedStr: "a formatted string",
    ast.Lambda: "a lambda expression",
}
FORBIDDEN: dict[type, str] = {
    ast.Yield: "yields",
    ast.YieldFrom: "yields",
    ast.Await: "awaits",
    ast.AsyncFor: "awaits",
    ast.AsyncWith: "awaits",
    ast.Global: "declares a name global within the loop",
    ast.Nonlocal: "declares a name nonlocal within the loop",
}
