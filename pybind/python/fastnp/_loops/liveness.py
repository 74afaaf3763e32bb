"""Liveness of the names that a loop binds: which of them a turn may read as the turn before, or
what ran before the loop, left them.

The others are no parameters of compiled code: it fits whatever they are bound to at an entry, and
lists among them are not copied.
"""

from __future__ import annotations

import ast

from fastnp._loops.loop import COMPREHENSIONS, SCOPES, below, parts_of

# What is bound after a statement that control does not leave at its end.
NOWHERE = None
Bound = frozenset[str]


def live_at_head(loop: ast.For | ast.While) -> set[str]:
    """The names that may be read in a turn before the turn binds them. The loop's own `else` is the
    interpreter's.
    """
    walk = _Walk()
    bound: Bound = frozenset()
    if isinstance(loop, ast.While):
        bound = walk.expression(loop.test, bound)
    else:
        bound = walk.target(loop.target, bound)
    walk.block(loop.body, bound)
    return walk.exposed


class _Walk:
    """A walk along the statements, with the names that are bound for certain (definite
    assignment); names that are read without being so are exposed.
    """

    def __init__(self) -> None:
        self.exposed: set[str] = set()

    def block(self, statements: list[ast.stmt], bound: Bound) -> Bound | None:
        """The names that are bound after some statements."""
        after: Bound | None = bound
        for statement in statements:
            if after is NOWHERE:
                break
            after = self.statement(statement, after)
        return after

    def statement(self, node: ast.stmt, bound: Bound) -> Bound | None:
        match node:
            case ast.Assign(targets=targets, value=value):
                bound = self.expression(value, bound)
                for target in targets:
                    bound = self.target(target, bound)
                return bound
            case ast.AnnAssign(target=target, value=value):
                if value is None:
                    return bound
                return self.target(target, self.expression(value, bound))
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                self.read(name, bound)
                return self.expression(value, bound) | {name}
            case ast.If(test=test, body=body, orelse=orelse):
                bound = self.expression(test, bound)
                return _meet(self.block(body, bound), self.block(orelse, bound))
            case ast.While(test=test, body=body, orelse=orelse):
                bound = self.expression(test, bound)
                self.block(body, bound)
                self.block(orelse, bound)
                return bound
            case ast.For(target=target, iter=source, body=body, orelse=orelse):
                bound = self.expression(source, bound)
                self.block(body, self.target(target, bound))
                self.block(orelse, bound)
                return bound
            case ast.Try(body=body, orelse=orelse, finalbody=[]):
                # The handlers, and what follows them in the turn, are the interpreter's.
                return self.block([*body, *orelse], bound)
            case ast.Continue() | ast.Break():
                return NOWHERE
            case ast.Return() | ast.Raise():
                self.expression(node, bound)
                return NOWHERE
            case ast.FunctionDef(name=name):
                self.anywhere(node, bound)
                return bound | {name}
            case ast.Expr() | ast.AugAssign():
                return self.expression(node, bound)
        # Of other statements it is not asked what they bind for certain.
        self.anywhere(node, bound)
        return bound

    def target(self, target: ast.expr, bound: Bound) -> Bound:
        """Binds a target; what is no name reads what it stores to."""
        if isinstance(target, ast.Name):
            return bound | {target.id}
        if isinstance(target, (ast.Tuple, ast.List)):
            for part in target.elts:
                bound = self.target(part, bound)
            return bound
        if isinstance(target, ast.Starred):
            return self.target(target.value, bound)
        return self.expression(target, bound)

    def expression(self, node: ast.AST, bound: Bound) -> Bound:
        """Reads the names of an expression; `:=` of what is evaluated for certain binds."""
        if isinstance(node, ast.Name):
            self.read(node.id, bound)
            return bound
        if isinstance(node, ast.NamedExpr):
            return self.expression(node.value, bound) | {node.target.id}
        if isinstance(node, (*SCOPES, *COMPREHENSIONS)):
            self.anywhere(node, bound)
            return bound
        parts = parts_of(node)
        if isinstance(node, ast.IfExp):
            parts = [node.test, node.body, node.orelse]
        # Operands from the second on are perhaps not evaluated.
        certain = len(parts)
        if isinstance(node, (ast.BoolOp, ast.IfExp)):
            certain = 1
        elif isinstance(node, ast.Compare):
            certain = 2
        after = bound
        for number, part in enumerate(parts):
            after = self.expression(part, after)
            if number < certain:
                bound = after
            elif isinstance(node, ast.IfExp):
                after = bound
        return bound

    def anywhere(self, node: ast.AST, bound: Bound) -> None:
        """Reads all names below a node, in whichever order."""
        for part in below(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                self.read(part.id, bound)
            elif isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
                self.read(part.target.id, bound)

    def read(self, name: str, bound: Bound) -> None:
        if name not in bound:
            self.exposed.add(name)


def _meet(one: Bound | None, other: Bound | None) -> Bound | None:
    """The names that are bound where two paths meet."""
    if one is None or other is None:
        return other if one is None else one
    return one & other
