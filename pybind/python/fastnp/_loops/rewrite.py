"""Rewriting of source so that its loops can run compiled, and be left at any statement.

A loop statement becomes, in the same code object and at the same lines,

    .l0 = ITERABLE
    if SITE.live and gettrace() is None:
        .l0 = SITE.enter(.l0)               # the iterable itself, or Turns: a part of its turns
    while True:
        for TARGET in .l0:                  # which is cleared if it is not Turns
            if .at is None: BODY            # as it was
            else: GUARDED BODY              # goes on at statement number .at
        else:
            if isinstance(.l0, Turns):      # more turns are left, perhaps
                if gettrace() is not None: .l0 = .l0.rest; continue
                if SITE.is_hot(.l0):
                    .o = SITE.run(.l0, locals(), globals())
                    if .o.row is not None: NAMES = .o.take(); DEFINITIONS of .o.made
                    if .o.at is not None: .at = .o.at; .l0 = SITE.resume(.o, TARGET); continue
                    .l0 = .o.rest
                else:
                    .l0 = SITE.more(.l0)
                if .l0 is not None and .l0 is not False: continue
            else: .l0 = None
            break                           # `.l0` is None after the last turn
        break                               # after `break` of the program's, which sets it to False
    if .l0 is None: ELSE

For `while` the turns are counted by a `for` over nothing. Where a site and all inside it are
retired, its turns run as they were.

A guarded statement number k runs if `.at` is None or at most k, and sets `.at` to None; an `if`
takes the branch that `.at` lies in; an inner loop goes on with an iterator of the outcome. So each
statement stands there twice, however deep the loops are nested: blocks with loops inside have one
form for both.

Names with a dot are no identifiers, so programs cannot clash with them. At module level they are
attributes of a constant, as variables there are seen by everybody. Sites and the functions called
are constants of the code object, which `fill` puts in place of bytes that stand for them.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import count, repeat
from types import CodeType
from typing import Any
from weakref import WeakValueDictionary

from fastnp import _fastnp
from fastnp._interpreter import ignored_warnings
from fastnp._loops.entry import Turns
from fastnp._loops.loop import (
    LOOPS,
    SCOPES,
    Facts,
    children,
    family,
    is_plain_definition,
    remember_body,
)
from fastnp._loops.nodes import (
    both,
    call_constant,
    compare,
    copied,
    either,
    field,
    hidden,
    is_none,
    is_not_none,
    loaded,
    method,
    place,
    placed,
    when,
)
from fastnp._loops.outcome import Refusal
from fastnp._loops.records import Record
from fastnp._loops.refusals import refusal
from fastnp._loops.site import BETWEEN, Site

__all__ = ["State", "Unit", "compile_tree", "constants_of", "fill", "named_constants", "rewrite"]

# Functions that show a scope's variables: in a function that names one, loops stay as they are.
_SHOWING = frozenset(["dir", "eval", "exec", "locals", "vars"])
# Blocks that Python allows to be nested; a site takes two, other statements these at most.
_MAX_BLOCKS = 20
_BLOCKS_OF: dict[type, int] = {
    **dict.fromkeys([ast.For, ast.While, ast.AsyncFor], 1),
    **dict.fromkeys([ast.With, ast.AsyncWith], 2),
    **dict.fromkeys([ast.Try, getattr(ast, "TryStar", ast.Try)], 3),
}

# The fields of statements that hold blocks, or parts with a block.
_BLOCKS = ("body", "handlers", "cases", "orelse", "finalbody")

_PREFIX = b"\0fastnp "
# What stands for what, as long as the value lives: the code that is made of a tree keeps it.
_constants: WeakValueDictionary[bytes, Any] = WeakValueDictionary()
_functions: dict[bytes, Any] = {}
_numbers = count()


class State:
    """The hidden variables of a module's loops: None where they are not set.

    They are slots, which CPython reads as fast as variables of a function: each turn reads `at`.
    """

    _VARIABLES = ("at", "o", *(f"{kind}{k}" for kind in "lt" for k in range(_MAX_BLOCKS)))
    __slots__ = (*_VARIABLES, "take", "__weakref__")

    def __init__(self) -> None:
        for name in self._VARIABLES:
            setattr(self, name, None)
        # Gives a variable's value, and forgets it; no function in Python, which debuggers see.
        self.take = partial(_fastnp.take_attribute, self)


class Unit(Record):
    """What was rewritten at once, such as a module: its sites, and loops that are none."""

    filename: str
    sites: list[Site]
    refused: list[Refusal]
    state: State


def compile_tree(
    tree: ast.Module, filename: str, flags: int = 0, optimize: int = -1
) -> tuple[CodeType, Unit]:
    """Rewrite a module's loops, and compile it."""

    def compiled() -> CodeType:
        return compile(tree, filename, "exec", flags, dont_inherit=True, optimize=optimize)

    with ignored_warnings():
        original = compiled()
    unit = rewrite(tree, filename)
    for site in unit.sites:
        site.original = partial(_itself, original)
    return fill(compiled()), unit


def _itself(code: CodeType) -> CodeType:
    return code


def rewrite(tree: ast.Module, filename: str) -> Unit:
    """Replace the loops of a module by sites, in place."""
    unit = Unit(filename, [], [], State())
    tree.body = _Scope(unit, tree, _constant(unit.state), Facts()).rewritten(tree.body)
    return unit


def fill(code: CodeType, known: Mapping[bytes, Any] | None = None) -> CodeType:
    """Put sites and functions in the place of the bytes that stand for them: what is `known`, or
    what this process has made.
    """
    constants: list[Any] = []
    changed = False
    for value in code.co_consts:
        filled = value
        if type(value) is bytes and value.startswith(_PREFIX):
            filled = _value(value) if known is None else known[value]
            if isinstance(filled, Site):
                filled.filename = code.co_filename
                filled.qualname = code.co_qualname
                names = (*code.co_varnames, *code.co_cellvars, *code.co_freevars)
                filled.local_names = frozenset(names)
        elif isinstance(value, CodeType):
            filled = fill(value, known)
        changed = changed or filled is not value
        constants.append(filled)
    return code.replace(co_consts=tuple(constants)) if changed else code


def _value(key: bytes) -> Any:
    return _functions.get(key) or _constants.get(key, key)


def named_constants(code: CodeType, unit: Unit) -> dict[bytes, int | str]:
    """What the bytes in code that is not filled stand for: numbers of the unit's sites, and names.

    They are the same for a process that reads the code from a file (`constants_of`).
    """
    numbers = {id(site): number for number, site in enumerate(unit.sites)}
    names = {id(value): name for name, value in _SHARED.items()}
    found: dict[bytes, int | str] = {}
    waiting = [code]
    while waiting:
        for value in waiting.pop().co_consts:
            if isinstance(value, CodeType):
                waiting.append(value)
            elif type(value) is bytes and value.startswith(_PREFIX):
                stands_for = _value(value)
                named = names.get(id(stands_for), "state")
                found[value] = numbers.get(id(stands_for), named)
    return found


def constants_of(named: Mapping[bytes, int | str], unit: Unit) -> dict[bytes, Any]:
    """The values of the bytes in code that was read from a file."""
    shared = {**_SHARED, "state": unit.state}
    return {
        key: unit.sites[value] if isinstance(value, int) else shared[value]
        for key, value in named.items()
    }


def _constant(value: Any) -> ast.Constant:
    key = _PREFIX + str(next(_numbers)).encode()
    _constants[key] = value
    return ast.Constant(key)


def _function(value: Any) -> ast.Constant:
    key = _PREFIX + str(next(_numbers)).encode()
    _functions[key] = value
    return ast.Constant(key)


# What rewritten code calls.
_SHARED: dict[str, Any] = {
    "isinstance": builtins.isinstance,
    "gettrace": sys.gettrace,
    "locals": builtins.locals,
    "globals": builtins.globals,
    "Turns": Turns,
    "endless": repeat(None),
}
_ISINSTANCE, _GETTRACE, _LOCALS, _GLOBALS, _TURNS, _ENDLESS = map(_function, _SHARED.values())


# --- one scope ------------------------------------------------------------------------------------


class _Scope:
    """The loops of one function, class body or module."""

    def __init__(self, unit: Unit, node: ast.AST, state: ast.Constant | None, facts: Facts) -> None:
        self.unit = unit
        self.state = state
        self.facts = facts
        self.is_class = isinstance(node, ast.ClassDef)
        self.sites: dict[int, Site] = {}
        # Statements that are sites, or have some inside.
        self.around: set[int] = set()
        # Numbers of statements in the outermost site around.
        self.number: dict[int, int] = {}

    def rewritten(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The statements of the scope, with sites; scopes inside are rewritten in place."""
        statements = [inner for statement in body for inner in family(statement)]
        for node in statements:
            if isinstance(node, SCOPES):
                remember_body(node)
                node.body = _Scope(self.unit, node, None, self.facts).rewritten(node.body)
        if not any(isinstance(node, LOOPS) for node in statements):
            return body
        reason = "in the body of a class" if self.is_class else self._shown(statements)
        for statement in body:
            self._find(statement, reason, None, 0)
        return self.block(body, False) if self.sites else body

    def _shown(self, statements: list[ast.stmt]) -> str:
        if self.state is None:
            for node in self.facts.nodes(*statements):
                if isinstance(node, ast.Name) and node.id in _SHOWING:
                    return f"the function may call {node.id}()"
        return ""

    # --- sites ----------------------------------------------------------------------------------

    def _find(self, node: ast.stmt, reason: str, around: Site | None, blocks: int) -> bool:
        """Make sites of the loops in a statement, outer ones first; tell whether there are any."""
        inside = around
        if isinstance(node, LOOPS):
            why = reason or refusal(node, self.facts)
            if not why and blocks + 1 + _height(node) > _MAX_BLOCKS:
                why = "too many nested blocks"
            if why:
                self.unit.refused.append(Refusal(node.lineno, why))
            else:
                inside = self._site(node, around)
        found = is_site = inside is not around
        own = 2 if is_site else _BLOCKS_OF.get(type(node), 0)
        for block in children(node):
            outer = around if is_site and block is getattr(node, "orelse", None) else inside
            for statement in block:
                found = self._find(statement, reason, outer, blocks + own) or found
        if found:
            self.around.add(id(node))
        return found

    def _site(self, node: ast.For | ast.While, around: Site | None) -> Site:
        site = Site(node, self.unit.filename, self.state is not None, self.facts)
        self.unit.sites.append(site)
        self.sites[id(node)] = site
        if around is None:
            for k, statement in enumerate(site.statements):
                self.number[id(statement)] = k
        else:
            site.depth, site.around = around.depth + 1, around
            around.inner.append(site)
        site.first = self.number[id(node)]
        return site

    def _has_site(self, statement: ast.stmt) -> bool:
        return id(statement) in self.around

    def _end(self, body: list[ast.stmt], start: int) -> int:
        """The number of the last statement of a block, `start` if it has none."""
        return self.number[id(list(family(body[-1]))[-1])] if body else start

    def _positions(self, body: list[Any]) -> Iterator[int]:
        """The numbers of the statements that a turn can be left at."""
        for statement in body:
            yield self.number[id(statement)]
            if isinstance(statement, (ast.If, ast.Try)) or id(statement) in self.sites:
                yield from self._positions(statement.body)
                yield from self._positions(statement.orelse)

    # --- hidden variables -----------------------------------------------------------------------

    def _hidden(self, name: str, store: bool = False) -> ast.Name | ast.Attribute:
        context = ast.Store() if store else ast.Load()
        if self.state is not None:
            return ast.Attribute(ast.Constant(self.state.value), name, context)
        return ast.Name("." + name, context)

    def _set(self, name: str, value: Any) -> ast.stmt:
        value = value if isinstance(value, ast.expr) else ast.Constant(value)
        return ast.Assign([self._hidden(name, True)], value)

    def _is_fresh(self) -> ast.expr:
        return is_none(self._hidden("at"))

    def _at_most(self, number: int) -> ast.expr:
        return compare(self._hidden("at"), ast.LtE(), number)

    def _arrive(self, number: int) -> ast.stmt:
        """Statement `number` is about to begin: if it is the one to go on at, it is found."""
        found = both(is_not_none(self._hidden("at")), self._at_most(number))
        return when(found, [self._set("at", None)])

    def _cleared(self, statements: Iterable[ast.stmt]) -> list[ast.stmt]:
        """Hidden variables of the sites in a block that an exception has ended hold nothing."""
        names = {
            f"l{self.sites[id(inner)].depth}"
            for statement in statements
            for inner in family(statement)
            if id(inner) in self.sites
        }
        return [self._set(name, None) for name in ["at", *sorted(names)]] if names else []

    # --- blocks ---------------------------------------------------------------------------------

    def block(self, body: list[ast.stmt], resumable: bool) -> list[ast.stmt]:
        """A block with sites in it; `resumable` if it can be entered in the middle."""
        made: list[ast.stmt] = []
        plain: list[ast.stmt] = []
        for statement in body:
            if self._has_site(statement):
                made += self._segment(plain, resumable)
                plain = []
                made += self._compound(statement, resumable)
            else:
                plain.append(statement)
        return made + self._segment(plain, resumable)

    def _segment(self, body: list[ast.stmt], resumable: bool) -> list[ast.stmt]:
        """Statements without sites: as they are, or guarded."""
        if not (body and resumable):
            return body
        guarded = [part for statement in body for part in self._guarded(statement)]
        return hidden([when(self._is_fresh(), body, guarded)])

    def _guarded(self, node: ast.stmt) -> list[ast.stmt]:
        """A statement that may be behind the one to go on at, or contain it."""
        k = self.number[id(node)]
        if isinstance(node, ast.If):
            body = [part for inner in node.body for part in self._guarded(inner)]
            orelse = [part for inner in node.orelse for part in self._guarded(inner)]
            return self._branch(node, body, orelse)
        if isinstance(node, ast.Try) and not self._has_site(node):
            made: ast.stmt = copied(
                node,
                body=[part for inner in node.body for part in self._guarded(inner)],
                orelse=[part for inner in node.orelse for part in self._guarded(inner)],
            )
            last = self._end(node.orelse, self._end(node.body, k))
            return hidden([when(either(self._is_fresh(), self._at_most(last)), [made])])
        test = either(self._is_fresh(), self._at_most(k))
        return hidden([when(test, [self._set("at", None), node])])

    def _branch(self, node: ast.If, body: list[ast.stmt], orelse: list[ast.stmt]) -> list[ast.stmt]:
        """An `if` whose condition counts only if it is still to be evaluated."""
        k = self.number[id(node)]
        test = ast.IfExp(self._is_fresh(), node.test, self._at_most(self._end(node.body, k)))
        return hidden([self._arrive(k), copied(node, test=test, body=body, orelse=orelse)])

    def _compound(self, node: Any, resumable: bool) -> list[ast.stmt]:
        """A statement with sites in it."""
        if id(node) in self.sites:
            return _SiteCode(self, self.sites[id(node)], resumable).statements()
        if isinstance(node, ast.If):
            body, orelse = self.block(node.body, resumable), self.block(node.orelse, resumable)
            if resumable:
                return self._branch(node, body, orelse)
            return [copied(node, body=body, orelse=orelse)]
        if isinstance(node, ast.Try):
            return self._attempt(node, resumable)
        fields: dict[str, Any] = {
            name: self.block(getattr(node, name), False)
            for name in ("body", "orelse", "finalbody")
            if hasattr(node, name)
        }
        if hasattr(node, "handlers"):
            fields["handlers"] = self._handlers(node)
        if hasattr(node, "cases"):
            fields["cases"] = [
                copied(case, body=self.block(case.body, False)) for case in node.cases
            ]
        made = [copied(node, **fields)]
        if isinstance(node, (ast.With, ast.AsyncWith)):
            # It may have caught an exception.
            made += self._cleared(node.body)
        if resumable:
            k = self.number[id(node)]
            test = either(self._is_fresh(), self._at_most(k))
            made = [when(test, [self._set("at", None), *made])]
        return hidden(made)

    def _handlers(self, node: Any) -> list[Any]:
        return [
            copied(
                handler,
                body=hidden(self._cleared(node.body)) + self.block(handler.body, False),
            )
            for handler in node.handlers
        ]

    def _attempt(self, node: ast.Try, resumable: bool) -> list[ast.stmt]:
        final = node.finalbody
        made: ast.stmt = copied(
            node,
            body=self.block(node.body, resumable),
            handlers=self._handlers(node),
            orelse=self.block(node.orelse, resumable),
            finalbody=final and hidden(self._cleared(node.body)) + self.block(final, False),
        )
        if not resumable:
            return [made]
        last = self._end(node.orelse, self._end(node.body, self.number[id(node)]))
        test = either(self._is_fresh(), self._at_most(last))
        return hidden([when(test, [made])])


class _SiteCode:
    """The code of one site."""

    def __init__(self, scope: _Scope, site: Site, resumable: bool) -> None:
        self.scope = scope
        self.site = site
        self.node: Any = site.node
        self.resumable = resumable
        self.is_leaf = not site.inner
        self.turns = f"l{site.depth}"
        self.constant = _constant(site)
        self.last = scope._end(self.node.body, site.first)
        inner = {id(s) for other in site.inner for s in family(other.node)}
        own = [s for s in site.statements[1:] if id(s) not in inner]
        site.weight = max(len(own), 1)
        if site.inner:
            site.short = -1
        site.resumable = frozenset(k - site.first for k in scope._positions(self.node.body))

    def _ask(self, name: str, *arguments: ast.expr) -> ast.expr:
        return method(ast.Constant(self.constant.value), name, *arguments)

    def _turns(self) -> ast.expr:
        return self.scope._hidden(self.turns)

    def _is_part(self) -> ast.expr:
        return call_constant(_ISINSTANCE, self._turns(), ast.Constant(_TURNS.value))

    def _is_traced(self, operator: ast.cmpop) -> ast.expr:
        return compare(call_constant(_GETTRACE), operator, None)

    def statements(self) -> list[ast.stmt]:
        """All of it: entry, turns, and the program's `else`."""
        scope, node = self.scope, self.node
        # Entry has the line of the head, which a debugger stops at once.
        head = node.iter if isinstance(node, ast.For) else node.test
        start = placed(self._start(), head)
        made = [*start, ast.While(ast.Constant(True), [self._loop(), ast.Break()], [])]
        if isinstance(node, ast.While):
            made = self._or_plain(made, head)
        orelse = scope.block(node.orelse, self.resumable)
        if self.resumable:
            entered = either(scope._is_fresh(), scope._at_most(self.last))
            place(entered, head)
            skipped: list[ast.stmt] = []
            if orelse:
                within = scope._at_most(scope._end(node.orelse, self.last))
                value = ast.IfExp(within, ast.Constant(None), ast.Constant(False))
                skipped = [scope._set(self.turns, value)]
            made = [when(entered, made, skipped)]
        elif self.site.first == 0:
            made = placed([scope._set("at", None)], head) + made
        if orelse:
            made.append(when(is_none(self._turns()), orelse))
        return hidden(made)

    def _or_plain(self, made: list[ast.stmt], head: ast.expr) -> list[ast.stmt]:
        """A `while` statement as it was, for when its site is retired: counting takes 6 to 10 ns of
        a turn of 30.
        """
        scope, node = self.scope, self.node
        plain = field(ast.Constant(self.constant.value), "plain")
        retired = both(plain, scope._is_fresh())
        first = placed([scope._set(self.turns, False)], head)
        loop = copied(node, orelse=[scope._set(self.turns, None)])
        place(retired, head)
        return [when(retired, [*first, loop], made)]

    def _start(self) -> list[ast.stmt]:
        scope, node = self.scope, self.node
        live = field(ast.Constant(self.constant.value), "live")
        counted = both(live, self._is_traced(ast.Is()))
        if isinstance(node, ast.For):
            given, first = node.iter, self._ask("enter", self._turns())
        else:
            given, first = ast.Constant(_ENDLESS.value), self._ask("begin")
        made = [scope._set(self.turns, given), when(counted, [scope._set(self.turns, first)])]
        if not self.resumable:
            return made
        beyond = compare(scope._hidden("at"), ast.Gt(), self.site.first)
        resumed = [scope._set(self.turns, self._resumed())]
        # The usual way falls through: a jump after it would have no line.
        begun = both(is_not_none(scope._hidden("at")), beyond)
        return [when(begun, resumed, [scope._set("at", None), *made])]

    def _given(self) -> ast.expr:
        """What the `for` statement iterates over. It is kept in a variable only if it is Turns: an
        iterator of the program's ends as soon as an exception ends the loop.
        """
        name = self.turns
        if isinstance(self.node, ast.While) or _is_sequence(self.node.iter):
            return self._turns()
        if self.scope.state is not None:
            taken = method(ast.Constant(self.scope.state.value), "take", ast.Constant(name))
        else:
            cleared = ast.NamedExpr(ast.Name("." + name, ast.Store()), ast.Constant(None))
            both = ast.Tuple([self._turns(), cleared], ast.Load())
            taken = ast.Subscript(both, ast.Constant(0), ast.Load())
        return ast.IfExp(self._is_part(), self._turns(), taken)

    def _resumed(self) -> ast.expr:
        arguments: list[ast.expr] = [self.scope._hidden("o")]
        if isinstance(self.node, ast.For):
            # Between two turns there is no current value: before the first the names are not bound.
            at = field(self.scope._hidden("o"), "at")
            is_within = compare(at, ast.NotEq(), self.site.first + BETWEEN)
            arguments.append(ast.IfExp(is_within, loaded(self.node.target), ast.Constant(None)))
        return self._ask("resume", *arguments)

    def _loop(self) -> ast.stmt:
        """The turns that the interpreter makes."""
        scope, node, turns = self.scope, self.node, self._given()
        # Errors and warnings of a compiled run are those of the loop's line.
        asks = placed([*self._asks(), ast.Break()], node)
        if isinstance(node, ast.For):
            place(turns, node.iter)
            return copied(node, iter=turns, body=self._turn(), orelse=asks)
        stop = [*self._exit(None), ast.Break()]
        if not self.is_leaf:
            test = ast.IfExp(scope._is_fresh(), node.test, ast.Constant(True))
            body = [when(test, self._turn(), stop)]
        else:
            guarded = [part for inner in node.body for part in scope._guarded(inner)]
            plain = [when(node.test, self._with_exits(node.body), stop)]
            body = [when(scope._is_fresh(), plain, self._with_exits(guarded))]
        made = ast.For(scope._hidden(f"t{self.site.depth}", True), turns, body, asks)
        return placed([made], node.test)[0]

    def _turn(self) -> list[ast.stmt]:
        """The statements of a loop's body, rewritten. If all sites in it are retired, they are
        those of the source: the guards of a turn of 0.2 µs take 0.5 µs.
        """
        scope, node = self.scope, self.node
        body = self._with_exits(scope.block(node.body, True))
        if self.is_leaf:
            return body
        is_plain = both(field(ast.Constant(self.constant.value), "plain_turns"), scope._is_fresh())
        return hidden([when(is_plain, self._with_exits(node.body), body)])

    def _exit(self, value: object) -> list[ast.stmt]:
        """The loop ends: its turns are counted, and not kept."""
        count = when(self._is_part(), [ast.Expr(self._ask("stop", self._turns()))])
        return [count, self.scope._set(self.turns, value)]

    def _with_exits(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """A block whose `break` statements end this loop."""
        made: list[ast.stmt] = []
        for statement in body:
            if isinstance(statement, ast.Break):
                made += placed(self._exit(False if self.node.orelse else None), statement)
            made.append(self._with_exits_inside(statement))
        return made

    def _with_exits_inside(self, node: Any) -> Any:
        if isinstance(node, (*SCOPES, ast.expr)) or not hasattr(node, "_fields"):
            return node
        fields: dict[str, Any] = {}
        names = ("orelse",) if isinstance(node, (*LOOPS, ast.AsyncFor)) else _BLOCKS
        for name in names:
            block = getattr(node, name, None)
            if not block:
                continue
            if name in ("handlers", "cases"):
                changed = [self._with_exits_inside(part) for part in block]
            else:
                changed = self._with_exits(block)
            if len(changed) != len(block) or any(x is not y for x, y in zip(changed, block)):
                fields[name] = changed
        return copied(node, **fields) if fields else node

    def _asks(self) -> list[ast.stmt]:
        """What follows the last turn of those that the interpreter was given."""
        scope = self.scope
        error, at, rest = (field(scope._hidden("o"), name) for name in ("error", "at", "rest"))
        shown = [call_constant(_LOCALS), call_constant(_GLOBALS)]
        run: list[ast.stmt] = [
            scope._set("o", self._ask("run", self._turns(), *shown)),
            *self._stored(),
            when(
                is_not_none(error),
                [ast.Raise(method(scope._hidden("o"), "take_error"), None)],
            ),
            when(
                is_not_none(at),
                [
                    scope._set("at", field(scope._hidden("o"), "at")),
                    scope._set(self.turns, self._resumed()),
                    ast.Continue(),
                ],
            ),
            scope._set(self.turns, rest),
            scope._set("o", None),
        ]
        more = [scope._set(self.turns, self._ask("more", self._turns()))]
        goes_on = both(is_not_none(self._turns()), compare(self._turns(), ast.IsNot(), False))
        over = [
            when(
                self._is_traced(ast.IsNot()),
                [scope._set(self.turns, self._ask_rest())],
                [when(self._ask("is_hot", self._turns()), run, more)],
            ),
            when(goes_on, [ast.Continue()]),
        ]
        # A compiled run may have been left between two turns of this loop.
        over.insert(0, scope._set("at", None))
        return [when(self._is_part(), over, [scope._set(self.turns, None)])]

    def _ask_rest(self) -> ast.expr:
        if isinstance(self.node, ast.While):
            return ast.Constant(_ENDLESS.value)
        return field(self._turns(), "rest")

    def _stored(self) -> list[ast.stmt]:
        """Assignment of the names that the loop binds."""
        names, scope = self.site.binds, self.scope
        if not names:
            return []
        targets = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
        unbound = field(scope._hidden("o"), "unbound")
        deletions = [
            when(
                ast.Compare(ast.Constant(name), [ast.In()], [unbound]),
                [ast.Delete([ast.Name(name, ast.Del())])],
            )
            for name in names
        ]
        stored = [ast.Assign([targets], method(scope._hidden("o"), "take"))]
        test = is_not_none(field(scope._hidden("o"), "row"))
        return [when(test, [*stored, when(unbound, deletions), *self._definitions()])]

    def _definitions(self) -> list[ast.stmt]:
        """The functions that compiled code has made are made again, with the scope's variables."""
        made, number = field(self.scope._hidden("o"), "made"), self.scope.number
        nodes = [node for node in self.site.statements if is_plain_definition(node)]
        tests = [ast.Compare(ast.Constant(number[id(node)]), [ast.In()], [made]) for node in nodes]
        return [when(test, [node]) for test, node in zip(tests, nodes, strict=True)]


def _is_sequence(iterable: ast.expr) -> bool:
    """Whether an iterable is a range or a display, by its looks: its iterator does nothing else."""
    if isinstance(iterable, ast.Call):
        return isinstance(iterable.func, ast.Name) and iterable.func.id == "range"
    return isinstance(iterable, (ast.Constant, ast.List, ast.Tuple))


def _height(node: ast.stmt) -> int:
    """How deep blocks are nested in a statement, as its source says."""
    inside = [_height(inner) for block in children(node) for inner in block]
    return _BLOCKS_OF.get(type(node), 0) + max(inside, default=0)
