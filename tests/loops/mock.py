"""A compiler that interprets: a loop's statements are executed one by one, and left anywhere.

What it executes is what compiled code would: names, containers, arithmetic, calls of functions that
do not look at the loop's variables. It leaves the loop before a statement that raises, one that it
does not know, and, when its budget is used up, before any other.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from copy import copy
from typing import Any

from fastnp._loops import compiler
from fastnp._loops.entry import Source, Walk, advance, is_changed, source_of
from fastnp._loops.loop import COMPREHENSIONS, SCOPES, Loop
from fastnp._loops.names import Names
from fastnp._loops.outcome import BROKE, DONE, Outcome, Refusal

SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Delete, ast.Pass, ast.Assert)


def taken(source: Source) -> tuple[Any, Source]:
    """The first item, and what is left. What the loop is entered with stays as it is."""
    if isinstance(source, Walk):
        first, rest = (Walk.begun(source.table, source.view, source.taken + k) for k in (0, 1))
        return next(first.iterator), rest
    return next(iter(source)), advance(source, 1)


class Left(Exception):
    """The loop is left at a statement."""

    def __init__(self, at: int, reason: str) -> None:
        self.at = at
        self.reason = reason


class Broke(Exception):
    """`break` was met."""


class Continued(Exception):
    """`continue` was met."""


class Variables(dict[str, Any]):
    """The locals that statements are executed with; a name of the function's is no global."""

    hidden: frozenset[str]

    def __missing__(self, name: str) -> Any:
        if name in self.hidden:
            raise UnboundLocalError(name)
        raise KeyError(name)


class MockCompiled:
    """A loop that was `compiled`."""

    copies_lists = is_for_others = False
    quick = None

    def __init__(self, loop: Loop, dice: random.Random, budget: int) -> None:
        self.loop = loop
        self.dice = dice
        self.most = budget
        self.numbers = {id(node): k for k, node in enumerate(loop.statements)}

    def describe(self) -> str:
        return "mock"

    def run(self, names: Names, source: Source | None) -> Outcome | None:
        if self.dice.random() < 0.1:
            return None
        return copy(self).started(names, source)

    def started(self, names: Names, source: Source | None) -> Outcome:
        """One run: of itself a copy, as functions call themselves."""
        self.globals = names._globals
        self.variables = Variables(
            {name: names[name] for name in names if names.is_local(name) and names.bound(name)}
        )
        self.variables.hidden = self.loop.local_names
        self.budget = self.dice.randrange(self.most)
        self.iterators: dict[int, Any] = {}
        self.turns = 0
        outcome = Outcome(DONE)
        try:
            self.loop_turns(self.loop.node, 0, source)
        except Broke:
            outcome.at = BROKE
        except Left as left:
            outcome.at, outcome.reason = left.at, left.reason
            outcome.iterators = self.iterators
        binds = self.loop.binds
        outcome.values = {name: self.variables[name] for name in binds if name in self.variables}
        # A global that was not bound by the run is left out: it stays as it is.
        outcome.unbound = tuple(
            name
            for name in binds
            if name not in outcome.values and (names.is_local(name) or name in self.deleted)
        )
        outcome.turns = self.turns
        return outcome

    deleted: frozenset[str] = frozenset()

    def loop_turns(self, node: ast.For | ast.While, k: int, source: Source | None) -> None:
        """The turns of the loop or of one inside; `break` is raised."""
        begun = k == 0
        while True:
            if begun:
                if source is not None:
                    self.iterators[k] = source
                self.spend(k)
            if isinstance(node, ast.While):
                if not self.value(node.test, k):
                    return
            else:
                assert source is not None
                if is_changed(source):
                    raise Left(k, "keys were added or removed")
                if not len(source):
                    return
                item, rest = taken(source)
                self.bind(node.target, item, k)
                source = self.iterators[k] = rest
            begun = True
            with suppress(Continued):
                self.block(node.body)
            self.turns += k == 0

    def spend(self, k: int) -> None:
        """Leave before statement `k` if the budget is used up and it can be left there."""
        self.budget -= 1
        if self.budget < 0 and (k in self.loop.resumable or k == 0):
            raise Left(k, "budget")

    def value(self, expression: ast.expr, k: int) -> Any:
        if not is_plain(expression):
            raise Left(k, "scope")
        code = compile(ast.Expression(expression), self.loop.filename, "eval")
        try:
            return eval(code, self.globals, self.variables)
        except Exception as error:
            raise Left(k, repr(error)) from None

    def bind(self, target: ast.expr, item: Any, k: int) -> None:
        before = dict(self.variables)
        try:
            assign(self.variables, target, item)
        except Exception as error:
            self.variables.clear()
            self.variables.update(before)
            raise Left(k, repr(error)) from None

    def block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement, self.numbers[id(statement)])

    def statement(self, node: ast.stmt, k: int) -> None:
        self.spend(k)
        if isinstance(node, ast.Break):
            raise Broke
        if isinstance(node, ast.Continue):
            raise Continued
        if isinstance(node, ast.If):
            self.block(node.body if self.value(node.test, k) else node.orelse)
        elif isinstance(node, ast.Try) and not node.finalbody:
            self.block(node.body)
            self.block(node.orelse)
        elif isinstance(node, (ast.For, ast.While)) and self.is_site(node):
            self.inner(node, k)
        elif isinstance(node, SIMPLE) and is_plain(node):
            self.simple(node, k)
        else:
            raise Left(k, type(node).__name__)

    def is_site(self, node: ast.For | ast.While) -> bool:
        return all(
            self.numbers[id(s)] in self.loop.resumable or not isinstance(s, SIMPLE)
            for s in node.body
        ) and (self.numbers[id(node.body[0])] in self.loop.resumable)

    def inner(self, node: ast.For | ast.While, k: int) -> None:
        source = None
        if isinstance(node, ast.For):
            source = source_of(self.value(node.iter, k))
            if source is None:
                raise Left(k, "iterable")
        try:
            self.loop_turns(node, k, source)
        except Broke:
            self.iterators.pop(k, None)
            return
        self.iterators.pop(k, None)
        self.block(node.orelse)

    def simple(self, node: ast.stmt, k: int) -> None:
        code = compile(ast.Module([node], []), self.loop.filename, "exec")
        before = dict(self.variables)
        try:
            exec(code, self.globals, self.variables)
        except Exception as error:
            self.variables.clear()
            self.variables.update(before)
            raise Left(k, repr(error)) from None
        self.deleted = (self.deleted | (before.keys() - self.variables.keys())) - frozenset(
            self.variables
        )


def is_plain(node: ast.AST) -> bool:
    """Whether there is no scope in it: statements are executed with locals in a dictionary."""
    return not any(isinstance(n, (*SCOPES, *COMPREHENSIONS)) for n in ast.walk(node))


def assign(variables: dict[str, Any], target: ast.expr, item: Any) -> None:
    """Bind a target of a `for` statement."""
    if isinstance(target, ast.Name):
        variables[target.id] = item
        return
    assert isinstance(target, (ast.Tuple, ast.List))
    parts = list(item)
    if len(parts) != len(target.elts):
        raise ValueError("not enough or too many values to unpack")
    for inner, part in zip(target.elts, parts):
        assign(variables, inner, part)


@contextmanager
def mocked(seed: int, budget: int = 40, refuses: float = 0.05) -> Iterator[random.Random]:
    """Have loops compiled by the mock."""
    dice = random.Random(seed)

    def compile_loop(loop: Loop, names: Any, source: Any, limit: int = 0) -> MockCompiled | Refusal:
        if dice.random() < refuses:
            return Refusal(loop.line, "chance")
        return MockCompiled(loop, dice, budget)

    before = compiler.compile_loop
    compiler.compile_loop = compile_loop  # type: ignore[assignment]
    try:
        yield dice
    finally:
        compiler.compile_loop = before
