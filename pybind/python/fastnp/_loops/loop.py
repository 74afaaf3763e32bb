"""A loop statement as its source says it: its statements by number, and the names it binds.

Statements are numbered in the order of the source, the loop itself being 0. A position is such a
number: all before that statement has happened, nothing of it. `resumable` are the positions at
which the interpreter can take over: not within `with`, `match`, handlers, `finally`, or loops
that are no sites, which are left at their beginning.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import Any, TypeGuard

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
LOOPS = (ast.For, ast.While)


class Loop:
    """A `for` or `while` statement; `node` is as it was parsed."""

    __slots__ = (
        "binds",
        "filename",
        "is_module_level",
        "is_reversed",
        "is_while",
        "line",
        "local_names",
        "node",
        "qualname",
        "resumable",
        "statements",
    )

    def __init__(
        self,
        node: ast.For | ast.While,
        filename: str,
        is_module_level: bool,
        facts: Facts | None = None,
    ) -> None:
        self.node = node
        self.filename = filename
        self.is_module_level = is_module_level
        self.is_while = isinstance(node, ast.While)
        # `for i in reversed(range(n))`: the iterator is the loop's alone, so it may be the range.
        self.is_reversed = isinstance(node, ast.For) and _is_call_of(node.iter, "reversed")
        self.line = node.lineno
        self.statements: tuple[ast.stmt, ...] = tuple(statements(node))
        self.binds: tuple[str, ...] = tuple((facts or Facts()).bound(node))
        self.resumable: frozenset[int] = frozenset()
        # Known when the code is compiled: the scope's name, and its names that are not global.
        self.qualname = "<module>"
        self.local_names: frozenset[str] = frozenset()


def _is_call_of(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def children(statement: ast.AST) -> Iterator[list[ast.stmt]]:
    """The blocks of a statement, in the order of the source; those of a scope of its own are not
    its.
    """
    if isinstance(statement, SCOPES):
        return
    yield getattr(statement, "body", [])
    for part in (*getattr(statement, "handlers", []), *getattr(statement, "cases", [])):
        yield part.body
    yield getattr(statement, "orelse", [])
    yield getattr(statement, "finalbody", [])


def statements(loop: ast.For | ast.While) -> Iterator[ast.stmt]:
    """The loop and all statements of its body, which its own `else` is no part of."""
    yield loop
    for statement in loop.body:
        yield from family(statement)


def family(statement: ast.stmt) -> Iterator[ast.stmt]:
    """A statement and those inside it, in the order of the source."""
    yield statement
    for block in children(statement):
        for inner in block:
            yield from family(inner)


def all_statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements and those inside them, also in functions and classes."""
    for statement in body:
        yield statement
        if isinstance(statement, SCOPES):
            yield from all_statements(statement.body)
        else:
            for block in children(statement):
                yield from all_statements(block)


def each_turn(loop: ast.For | ast.While | ast.Try) -> Iterator[ast.stmt]:
    """The statements that each turn reaches if nothing raises, of the loop and of loops inside."""
    for statement in (*loop.body, *(loop.orelse if isinstance(loop, ast.Try) else ())):
        yield statement
        if isinstance(statement, ast.For | ast.While | ast.Try):
            yield from each_turn(statement)
        if ends_turn(statement):
            break


def ends_turn(statement: ast.stmt) -> bool:
    """Whether the statement after it is not reached, if nothing raises."""
    if isinstance(statement, ast.Try):
        return ends_turn((statement.orelse or statement.body)[-1])
    return isinstance(statement, ast.Continue | ast.Break | ast.Return)


def in_scope(*nodes: ast.AST) -> Iterator[ast.AST]:
    """The nodes and those below them in their own scope, and the heads of scopes inside."""
    waiting = [*nodes]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += outer_parts(node) if isinstance(node, SCOPES) else parts_of(node)


def below(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it, as `ast.walk` gives them, in a third of the time."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += parts_of(node)


def all_below(loop: Any) -> list[ast.AST]:
    """What `below` gives of a loop that is compiled. It is found once: a loop is written again for
    what was learned of it.
    """
    found: list[ast.AST] | None = vars(loop).get("all_below")
    if found is None:
        found = loop.all_below = list(below(loop))
    return found


def parts_of(node: ast.AST) -> list[ast.AST]:
    """The nodes right below one; contexts and operators, which say nothing else, are left out."""
    names = _FIELDS.get(type(node))
    if names is None:
        names = _FIELDS[type(node)] = _fields_with_nodes(node)
    found: list[ast.AST] = []
    for name in names:
        value = getattr(node, name, None)
        if value.__class__ is list:
            found += [part for part in value if isinstance(part, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def _fields_with_nodes(node: ast.AST) -> tuple[str, ...]:
    """The fields of a class of nodes that may hold others. Half the fields of a program do not."""
    if isinstance(node, ast.Constant):
        return ()
    return tuple(name for name in node._fields if name not in _WITHOUT_NODES)


# The fields that may hold nodes, by class.
_FIELDS: dict[type, tuple[str, ...]] = {}
_WITHOUT_NODES = frozenset(
    "arg asname attr conversion ctx id is_async kind level module op ops rest simple tag"
    " type_comment".split()
)


def outer_parts(scope: Any) -> list[ast.AST]:
    """What of a nested function or class is evaluated in the scope around it."""
    found: list[ast.AST] = [*getattr(scope, "decorator_list", ())]
    arguments = getattr(scope, "args", None)
    if arguments is not None:
        found += [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]
    return found + [
        *getattr(scope, "bases", ()),
        *(k.value for k in getattr(scope, "keywords", ())),
    ]


def is_plain_definition(node: ast.stmt) -> TypeGuard[ast.FunctionDef]:
    """Whether a statement makes a function, and evaluates nothing else: no decorators, no defaults
    but constants, no annotations but those and builtins.
    """
    if not isinstance(node, ast.FunctionDef) or node.decorator_list:
        return False
    parts = [*node.args.defaults, *node.args.kw_defaults]
    for part in (*annotations_of(node), *parts):
        is_builtin = isinstance(part, ast.Name) and part not in parts and hasattr(builtins, part.id)
        if part is not None and not isinstance(part, ast.Constant) and not is_builtin:
            return False
    return not getattr(node, "type_params", ())


def annotations_of(node: ast.FunctionDef) -> list[ast.expr | None]:
    """The annotations of a function."""
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    return [node.returns, *(argument.annotation for argument in every)]


def remember_body(node: Any) -> None:
    """Keeps the body of a function, whose loops are about to be rewritten."""
    node.body_as_parsed = node.body


def body_as_parsed(node: Any) -> list[ast.stmt]:
    """The body of a function without rewritten loops."""
    found: list[ast.stmt] = getattr(node, "body_as_parsed", node.body)
    return found


class Facts:
    """What is known of statements, each of which is looked at once, however many loops are around
    it.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[list[ast.AST], list[str]]] = {}

    def nodes(self, *statements: ast.stmt) -> Iterator[ast.AST]:
        """Statements and the nodes of their expressions, in their own scope; heads of scopes
        inside. Statements inside them are not theirs.
        """
        for statement in statements:
            yield from self._of(statement)[0]

    def bound(self, loop: ast.For | ast.While) -> dict[str, None]:
        """The names that a loop binds or deletes in its scope, about in the order of the source."""
        head = _nodes_and_names(loop.target if isinstance(loop, ast.For) else loop.test)[1]
        found = dict.fromkeys(head)
        for statement in loop.body:
            for inner in family(statement):
                found.update(dict.fromkeys(self._of(inner)[1]))
        return found

    def _of(self, statement: ast.stmt) -> tuple[list[ast.AST], list[str]]:
        known = self._known.get(id(statement))
        if known is None:
            known = self._known[id(statement)] = _nodes_and_names(statement)
        return known


def _nodes_and_names(node: ast.AST) -> tuple[list[ast.AST], list[str]]:
    nodes: list[ast.AST] = []
    names: list[str] = []
    # A node, and whether it is within a comprehension, where only `:=` binds a name of the scope.
    waiting: list[tuple[ast.AST, bool]] = [(node, False)]
    while waiting:
        node, inside = waiting.pop()
        nodes.append(node)
        if isinstance(node, ast.Name):
            if not (inside or isinstance(node.ctx, ast.Load)):
                names.append(node.id)
            continue
        names += _bindings(node)
        inside = inside or isinstance(node, COMPREHENSIONS)
        parts = outer_parts(node) if isinstance(node, SCOPES) else parts_of(node)
        waiting += [(part, inside) for part in reversed(parts) if not isinstance(part, ast.stmt)]
    return nodes, names


def _bindings(node: ast.AST) -> list[str]:
    """The names that a node binds, those aside that stand in it as `Name`."""
    if isinstance(node, ast.NamedExpr):
        return [node.target.id]
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        return [node.name]
    if isinstance(node, ast.MatchMapping) and node.rest:
        return [node.rest]
    return []
