"""Sites: the loop statements of rewritten code, and what happens when one is entered.

A site counts the statements that its loop executes. When they have cost about as much as
compiling, it asks the compiler; from then on, entries that make turns enough run compiled. A site
is retired when the compiler refuses, when types change too often, or when compiled runs are left
too often: then the loop iterates over its iterable as the source says.

`rewrite` says what the code around a site looks like.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat
from time import perf_counter
from typing import Any
from weakref import WeakSet

from fastnp._loops import compiler
from fastnp._loops.entry import SIZED, Source, Turns, advance, source_of
from fastnp._loops.loop import Loop
from fastnp._loops.outcome import BROKE, DONE, Compiled, Outcome, Refusal
from fastnp._state import loops as _switch

# Statements of a site that are interpreted before it is compiled: about 100 µs of them, where
# compiling takes some milliseconds at first and some hundred microseconds for a small loop.
COMPILE_AFTER = 2000
# Statements that an entry must be about to execute for compiled code to be entered: about 3 µs.
ENTER_FROM = 60
# A loop about to execute at most this many statements is not counted turn by turn.
SHORT = 32
# After so many statements in short entries alone a site is no longer counted.
RETIRE_SHORT = 20 * COMPILE_AFTER
MAX_COMPILED = 8
# The compiler is asked this often, each time after four times the work: types may have changed.
MAX_REFUSALS = 4
# A site is retired when so many runs have been left, each after less than these turns on average.
MAX_LEAVES = 50
TURNS_A_LEAVE = 100
# Turns of a loop with loops inside that are interpreted before it is asked again.
MAX_PIECE = 64
_NO_SOURCE = "iterates over neither a range nor a sequence"
# Added to the number of an inner `for` that was left between two turns, not before the first.
BETWEEN = 0.5


class LoopError(RuntimeError):
    """A loop of a function under `fastnp.jit(strict=True)` was not compiled, or was left."""


LoopError.__module__ = "fastnp"


class Names(Mapping[str, Any]):
    """The names that a loop can see, with the interpreter's order of looking them up."""

    __slots__ = ("_builtins", "_globals", "_hidden", "_locals")

    def __init__(
        self, local: dict[str, Any], globals_: dict[str, Any], local_names: frozenset[str]
    ) -> None:
        self._locals = local
        self._globals = globals_
        self._hidden = local_names
        found = globals_.get("__builtins__", builtins)
        self._builtins: dict[str, Any] = found if isinstance(found, dict) else vars(found)

    def __getitem__(self, name: str) -> Any:
        if name in self._hidden:
            return self._locals[name]
        if name in self._globals:
            return self._globals[name]
        return self._builtins[name]

    def is_local(self, name: str) -> bool:
        """Whether the name is the function's own or of a function around it, so no global."""
        return name in self._hidden

    def bound(self, name: str) -> bool:
        """Whether the name is bound where the loop would bind it."""
        return name in (self._locals if name in self._hidden else self._globals)

    def __iter__(self) -> Iterator[str]:
        return iter({**self._builtins, **self._globals, **self._locals})

    def __len__(self) -> int:
        return len({**self._builtins, **self._globals, **self._locals})


class Step:
    """What the rewritten code does after a compiled run, or an attempt at one.

    `row` are the values of the names that the loop binds, in their order; it is None if nothing
    was run. `at` is the statement to go on with, if the run was left in the middle of a turn.
    Else `rest` is what to iterate over; None after the last turn, False after `break`.
    """

    __slots__ = ("at", "error", "iterators", "rest", "row", "unbound")

    def __init__(self, rest: Any = None) -> None:
        self.row: tuple[Any, ...] | None = None
        self.unbound: frozenset[str] = frozenset()
        self.at: float | None = None
        self.rest = rest
        self.iterators: dict[int, Iterable[Any]] = {}
        self.error: BaseException | None = None

    def take(self) -> tuple[Any, ...] | None:
        """The row, which is not kept: values live as long as the program wants them."""
        row, self.row = self.row, None
        return row

    def take_error(self) -> BaseException | None:
        """The error, which is not kept."""
        error, self.error = self.error, None
        return error


class Site(Loop):
    """A loop statement in rewritten code: counts, compiled code, statistics."""

    __slots__ = (
        "__weakref__",
        "attempts",
        "compiled",
        "depth",
        "first",
        "inner",
        "is_eager",
        "is_strict",
        "leaves",
        "live",
        "piece",
        "refusals",
        "runs",
        "seconds",
        "short",
        "threshold",
        "turns",
        "weight",
        "work",
    )

    def __init__(self, node: ast.For | ast.While, filename: str, is_module_level: bool) -> None:
        super().__init__(node, filename, is_module_level)
        # Place in the outermost site around: its statement's number, and how many sites are around.
        self.first = 0
        self.depth = 0
        self.inner: list[Site] = []
        self.weight = 1
        self.is_eager = self.is_strict = False
        self.attempts = 0
        self.reset()
        SITES.add(self)

    def reset(self) -> None:
        """As it was before its first entry."""
        self.live = _switch.enabled()
        self.compiled: list[Compiled] = []
        self.refusals: list[Refusal] = []
        self.leaves: Counter[tuple[int, str]] = Counter()
        self.work = 0
        self.threshold = COMPILE_AFTER
        self.piece = 1
        self.short = SHORT
        self.turns = self.runs = 0
        self.seconds = 0.0

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled with the code of a function that cloudpickle sends by value."""
        fields = {
            name: getattr(self, name)
            for name in (*Loop.__slots__, "depth", "first", "inner", "weight", "is_eager")
        }
        return _restored, (self.node, self.filename, self.is_module_level, fields)

    def place(self) -> str:
        """File and line, for a report."""
        return f"{self.filename}:{self.line}"

    # --- entering -----------------------------------------------------------------------------

    def enter(self, iterable: Any) -> Any:
        """What a `for` statement iterates over: the iterable, or a part of its turns.

        A short loop pays 150 ns here until the site is retired.
        """
        if type(iterable) in SIZED and not self.is_eager:
            work = len(iterable) * self.weight
            if self.compiled:
                if work < ENTER_FROM:
                    return iterable
            elif work <= self.short:
                self.work += work
                if self.work > RETIRE_SHORT:
                    self.live = False
                return iterable
        return self._first_turns(iterable)

    def _first_turns(self, iterable: Any) -> Any:
        source = source_of(iterable)
        try:
            total = -1 if source is None else len(source)
        except OverflowError:  # a range of more than a machine word
            total, source = -1, None
        if source is None and not self.is_strict:
            if self.is_eager and not self.refusals:
                self.refusals.append(Refusal(self.line, _NO_SOURCE))
            return iterable
        if self.is_eager:
            return self._no_turns(iterable, source, total)
        assert source is not None
        if self.compiled:
            is_enough = total * self.weight >= ENTER_FROM
            return self._no_turns(iterable, source, total) if is_enough else iterable
        return self._piece(iter(iterable), source, total)

    def begin(self) -> Turns:
        """The first turns of a `while` statement."""
        if self.is_eager:
            return self._no_turns(repeat(None), None, -1)
        if self.compiled or self.inner:
            return self._while_piece()
        count = (self.threshold - self.work) // self.weight + ENTER_FROM
        return self._while_piece(count if count > 0 else ENTER_FROM)

    def resume(self, step: Step, current: Any = None) -> Turns:
        """One turn of this loop, which a compiled run of it or of one around was left in.

        `current` is the value that the target of a `for` statement has in that turn.
        """
        if isinstance(self.node, ast.While):
            return self._while_piece(1)
        rest = step.iterators.pop(self.first)
        source = source_of(rest)
        turns = Turns((), 0) if step.at == self.first + BETWEEN else Turns((current,), 1)
        turns.rest, turns.source, turns.count = rest, source, 0
        turns.left = -1 if source is None else len(source)
        return turns

    def _no_turns(self, iterable: Any, source: Source | None, total: int) -> Turns:
        turns = Turns((), 0)
        turns.rest, turns.source, turns.count, turns.left = iterable, source, 0, total
        return turns

    def _piece(self, rest: Iterator[Any], source: Source, total: int, most: int = 0) -> Turns:
        if self.inner:
            count = most or self.piece
            self.piece = min(2 * self.piece, MAX_PIECE)
        else:
            count = most or max(self.threshold - self.work, self.weight) // self.weight
        count = min(count, total)
        turns = Turns(rest, count)
        turns.rest, turns.source, turns.count, turns.left = rest, source, count, total - count
        return turns

    def _while_piece(self, most: int = 0) -> Turns:
        if most:
            count = most
        elif self.compiled:
            count = max(ENTER_FROM // self.weight, 1)
        elif self.inner:
            count = self.piece
            self.piece = min(2 * self.piece, MAX_PIECE)
        else:
            count = max(self.threshold - self.work, ENTER_FROM) // self.weight + 1
        rest = repeat(None, count)
        turns = Turns(rest, None)
        turns.rest, turns.source, turns.count, turns.left = rest, None, count, -1
        return turns

    # --- between turns ------------------------------------------------------------------------

    def stop(self, turns: Turns) -> None:
        """Count the turns of a loop that was left by `break`, or whose condition is false."""
        if isinstance(self.node, ast.While):
            made = turns.count - turns.rest.__length_hint__()  # type: ignore[attr-defined]
            self.work += (made + 1) * self.weight
        else:
            self.work += min(turns.count * self.weight, SHORT)

    def is_hot(self, turns: Turns) -> bool:
        """Whether the loop, whose `turns` are over, is to be run compiled from here on."""
        self.work += turns.count * self.weight
        if turns.left == 0 and not self.is_eager:
            return False
        if not self.live or _is_watched():
            return False
        if self.is_eager:
            return True
        if isinstance(self.node, ast.For) and (
            turns.source is None or turns.left * self.weight < ENTER_FROM
        ):
            return False
        return bool(self.compiled) or self.work_within() >= self.threshold

    def work_within(self) -> int:
        """The statements counted here and in the sites inside."""
        return self.work + sum(site.work_within() for site in self.inner)

    def more(self, turns: Turns) -> Any:
        """What a loop that stays with the interpreter iterates over next; None at its end."""
        if turns.left == 0:
            return None
        if not self.live or _is_watched():
            return repeat(None) if isinstance(self.node, ast.While) else turns.rest
        if isinstance(self.node, ast.While):
            return self._while_piece()
        if turns.source is None:
            return turns.rest
        source = advance(turns.source, turns.count)
        return self._piece(iter(turns.rest), source, turns.left)

    # --- compiled runs ------------------------------------------------------------------------

    def run(self, turns: Turns, local: dict[str, Any], globals_: dict[str, Any]) -> Step:
        """Run the loop compiled from here on, if it can be."""
        source = None if turns.source is None else advance(turns.source, turns.count)
        names = Names(local, globals_, self.local_names)
        try:
            compiled = self._compiled_for(names, source)
            if compiled is None:
                return self._refused(turns)
            start = perf_counter()
            outcome = compiled.run(names, source)
            self.seconds += perf_counter() - start
            return self._step(outcome, names)
        finally:
            if not self.is_module_level:
                # Until Python 3.13 the frame keeps this dictionary, and with it the values.
                local.clear()

    def _compiled_for(self, names: Names, source: Source | None) -> Compiled | None:
        is_for = isinstance(self.node, ast.For)
        if is_for and source is None:
            self._refuse(Refusal(self.line, _NO_SOURCE))
            return None
        for compiled in self.compiled:
            if compiled.matches(names, source):
                return compiled
        if len(self.compiled) == MAX_COMPILED:
            self._refuse(Refusal(self.line, f"more than {MAX_COMPILED} combinations of types"))
            self.live = False
            return None
        found = compiler.compile_loop(self, names, source)
        if isinstance(found, Refusal):
            self._refuse(found)
            return None
        self.compiled.append(found)
        return found

    def _refuse(self, refusal: Refusal) -> None:
        if refusal not in self.refusals:
            self.refusals.append(refusal)
        self.attempts += 1
        self.threshold = 4 * self.work_within() + COMPILE_AFTER
        if self.attempts >= MAX_REFUSALS and not self.is_strict:
            self.live = False

    def _refused(self, turns: Turns) -> Step:
        step = Step(repeat(None) if isinstance(self.node, ast.While) else turns.rest)
        if self.is_strict:
            refusal = self.refusals[-1]
            place = f"{self.filename}:{refusal.line}"
            step.error = LoopError(f"{place}: the loop is not compiled: {refusal.reason}")
        return step

    def _step(self, outcome: Outcome, names: Names) -> Step:
        self.runs += 1
        self.turns += outcome.turns
        step = Step()
        step.error = outcome.error
        step.row, step.unbound = self._row(outcome, names)
        if outcome.at == BROKE:
            step.rest = False
        elif outcome.at != DONE:
            self._left(outcome, step)
        return step

    def _row(self, outcome: Outcome, names: Names) -> tuple[tuple[Any, ...], frozenset[str]]:
        """The values of the names that the loop binds; None for those that are not bound."""
        row, unbound = [], set(outcome.unbound)
        for name in self.binds:
            if name in outcome.values:
                row.append(outcome.values[name])
            elif name not in unbound and names.bound(name):
                row.append(names[name])
            else:
                unbound.add(name)
                row.append(None)
        return tuple(row), frozenset(unbound)

    def _left(self, outcome: Outcome, step: Step) -> None:
        at = outcome.at
        line = self.statements[at].lineno
        self.leaves[line, outcome.reason] += 1
        if at and at not in self.resumable:
            raise AssertionError(f"{self.filename}:{line}: compiled code was left within a block")
        step.iterators = {self.first + k: rest for k, rest in outcome.iterators.items()}
        if at:
            step.at = self.first + at + BETWEEN * (at in outcome.iterators)
        elif isinstance(self.node, ast.While):
            step.rest = self._while_piece(1)
        else:
            step.rest = self._head(step.iterators.pop(self.first))
        if self.is_strict and step.error is None:
            place = f"{self.filename}:{line}"
            step.error = LoopError(f"{place}: the compiled loop was left: {outcome.reason}")
        left = self.leaves.total()
        if left >= MAX_LEAVES and self.turns < left * TURNS_A_LEAVE and not self.is_strict:
            self.live = False

    def _head(self, rest: Iterable[Any]) -> Any:
        """What to iterate over after a run that was left before a turn, which is interpreted."""
        source = source_of(rest)
        if source is None or not len(source):
            return rest
        return self._piece(iter(rest), source, len(source), 1)


# All that are alive.
SITES: WeakSet[Site] = WeakSet()


def _switched() -> None:
    for site in SITES:
        site.live = _switch.enabled()


_switch.observe(_switched)


def _is_watched() -> bool:
    """Whether a debugger or a coverage tool follows lines."""
    if sys.gettrace() is not None:
        return True
    if sys.version_info >= (3, 12):
        tools = sys.monitoring
        return tools.get_tool(tools.DEBUGGER_ID) is not None or (
            tools.get_tool(tools.COVERAGE_ID) is not None
        )
    return False


def _restored(
    node: ast.For | ast.While, filename: str, is_module_level: bool, fields: dict[str, Any]
) -> Site:
    site = Site(node, filename, is_module_level)
    for name, value in fields.items():
        setattr(site, name, value)
    return site
