"""Sites: the loop statements of rewritten code, and what happens when one is entered.

A site counts the statements that its loop executes. When they have cost about as much as
compiling, it asks the compiler; from then on, entries that make turns enough run compiled. A site
is retired when the compiler refuses, when types change too often, or when compiled runs are left
too often: then the loop iterates over its iterable as the source says.

`rewrite` says what the code around a site looks like.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from math import inf
from time import perf_counter, thread_time
from types import CodeType
from typing import Any
from weakref import WeakSet

from fastnp import _fastnp
from fastnp._interpreter import Uncollected
from fastnp._loops.entry import (
    ARRAYS,
    NOTHING,
    SIZED,
    Rest,
    Source,
    Step,
    Turns,
    Walk,
    advance,
    beginning,
    is_changed,
    is_held,
    may_change,
    source_of,
)
from fastnp._loops.judgement import is_given_up, takes_long, turns_to_time
from fastnp._loops.loop import Facts, Loop
from fastnp._loops.names import Names
from fastnp._loops.original import restore
from fastnp._loops.outcome import BROKE, DONE, TOO_LONG, Compiled, Outcome, Refusal
from fastnp._loops.thresholds import (
    AGAIN_AFTER,
    COMPILE_AFTER,
    ENTER_FROM,
    FEW,
    FEW_VERSIONS,
    FORGOTTEN,
    IMPORT_COMPILER,
    JUDGED_ENTRIES,
    KNOWN_AFTER,
    LOST,
    MARGIN,
    MAX_COMPILED,
    MAX_LEAVES,
    MAX_REFUSALS,
    MAX_SOURCELESS,
    MORE_PATIENCE,
    MOST_AROUND,
    MOST_BEYOND,
    NO_TURNS,
    PIECE,
    PREEMPTED,
    RETIRE_SHORT,
    SHORT,
    TELLING,
    TIERS,
    TIMED_AGAIN,
    TO_COME,
    TRIAL,
    TURNS_A_LEAVE,
    WAITS,
)
from fastnp._loops.watched import is_watched
from fastnp._state import loops as _switch

_COMPILER = "fastnp._loops.compiler"
RANGE_ITERATOR = type(iter(range(0)))
_NO_SOURCE = "iterates over neither a range nor a sequence"
# Added to the number of an inner `for` that was left between two turns, not before the first.
BETWEEN = 0.5


class LoopError(RuntimeError):
    """A loop of a function under `fastnp.jit(strict=True)` was not compiled, or was left."""


LoopError.__module__ = "fastnp"


class Site(Loop):
    """A loop statement in rewritten code: counts, compiled code, statistics."""

    __slots__ = tuple(
        "__weakref__ around asleep_until attempts compiled depth doubt enter_from entries first"
        " inner is_eager is_large is_odd is_strict judged leaves live load made original pending"
        " plain plain_turns recent refusals runs samples seconds short slow slower sourceless"
        " spent spent_before threshold timed timed_again turn_interpreted turn_seconds turns"
        " weight work".split()
    )

    # Makes the syntax trees of a module's loops, where its code was read from a file.
    load: Callable[[], None]

    def __init__(
        self,
        node: ast.For | ast.While,
        filename: str,
        is_module_level: bool,
        facts: Facts | None = None,
    ) -> None:
        super().__init__(node, filename, is_module_level, facts)
        self.initialize()

    def initialize(self) -> None:
        """As it is where it is made: no site is around, and it was never entered."""
        # Place in the outermost site around: its statement's number, and how many sites are around.
        self.first = 0
        self.depth = 0
        self.around: Site | None = None
        self.inner: list[Site] = []
        self.weight = 1
        self.is_eager = self.is_strict = False
        # The code of the module without sites, for functions whose loops are all retired.
        self.original: Callable[[], CodeType] | None = None
        self.attempts = 0
        self.reset()
        SITES.add(self)

    def __getattr__(self, name: str) -> Any:
        """The syntax tree of a loop whose code comes from a file is made when it is asked for."""
        if name not in ("node", "statements"):
            raise AttributeError(name)
        self.load()
        return getattr(self, name)

    def reset(self) -> None:
        """As it was before its first entry."""
        # Whether it is counted and run compiled; whether it never will be, nor any inside; and
        # whether none inside will be: then the interpreter's turns are made as the source says.
        self.live = _switch.enabled()
        self.plain = self.plain_turns = not self.live
        self.compiled: list[Compiled] = []
        self.refusals: list[Refusal] = []
        self.leaves: Counter[tuple[int, str]] = Counter()
        self.work = self.entries = self.sourceless = 0
        # Turns of all entries of a `while`.
        self.made = 0
        # Seconds of the interpreter, without those of compiled loops inside, in all and of a turn;
        # and seconds of a turn with them.
        self.spent = self.turn_interpreted = self.turn_seconds = 0.0
        self.spent_before = self.asleep_until = self.enter_from = self.seconds = 0.0
        # Turns that a turn's time is computed from, and those since, with both kinds of seconds;
        # and how often it was computed.
        self.recent = self.pending = NO_TURNS
        self.samples = 0
        self.is_odd = self.is_large = False
        self.threshold = COMPILE_AFTER
        self.short = SHORT
        self.turns = self.runs = self.slow = self.slower = self.timed = self.doubt = 0
        self.judged = 0, 0, 0.0
        self.timed_again = JUDGED_ENTRIES

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled with the code of a function that cloudpickle sends by value."""
        fields = {
            name: getattr(self, name)
            for name in (*Loop.__slots__, "depth", "first", "inner", "weight", "is_eager")
        }
        return _restored, (self.node, self.filename, self.is_module_level, fields)

    def retire(self) -> None:
        """Leave the loop to the interpreter from here on."""
        self.live = False
        site: Site | None = self
        while site is not None and all(inner.plain for inner in site.inner):
            site.plain_turns = True
            if site.live:
                break
            site.plain = True
            site = site.around
        if self.original is not None and not self.is_eager:
            restore(self, self.original)

    def revive(self) -> None:
        """Run it compiled again."""
        self.live, self.plain, self.plain_turns = True, False, False

    def place(self) -> str:
        """File and line, for a report."""
        return f"{self.filename}:{self.line}"

    # --- entering -----------------------------------------------------------------------------

    def enter(self, iterable: Any) -> Any:
        """What a `for` statement iterates over: the iterable, or a part of its turns.

        A short loop pays 150 ns here until the site is retired.
        """
        kind = type(iterable)
        if kind is RANGE_ITERATOR and self.is_reversed:
            iterable = iterable.__reduce__()[1][0]
        if self.asleep_until and self._is_asleep():
            return iterable
        if kind in SIZED and not self.is_eager:
            try:
                turns = len(iterable)
            except OverflowError:  # a range of more than a machine word
                return self._first_turns(iterable)
            if self.compiled:
                if kind is range:
                    return self._entered(iterable, iterable, turns)
                if not self._is_long(turns):
                    return iterable
            elif turns * self.weight <= self.short:
                self.work += turns * self.weight
                if self.work > RETIRE_SHORT:
                    self.retire()
                return iterable
        elif kind in ARRAYS and self.compiled and iterable.ndim and not self.is_eager:
            return self._entered(iterable, Rest(iterable), len(iterable))
        return self._first_turns(iterable)

    def _is_asleep(self) -> bool:
        """Whether the compiler has refused the loop, and is not to be asked again yet."""
        if self.is_eager:
            return False
        if _now() < self.asleep_until:
            return True
        self.asleep_until = 0.0
        return False

    def _first_turns(self, iterable: Any) -> Any:
        source = None if is_held(iterable) else source_of(iterable)
        try:
            total = -1 if source is None else len(source)
        except OverflowError:
            total, source = -1, None
        if source is None and not self.is_strict:
            if self.is_eager and not self.refusals:
                self.refusals.append(Refusal(self.line, _NO_SOURCE))
            self.sourceless += 1
            if self.sourceless == MAX_SOURCELESS and not self.is_eager:
                self.retire()
            return iterable
        if isinstance(source, Walk):
            iterable = source  # with the one iterator that notices keys that are added
        if self.is_eager:
            return self._no_turns(iterable, source, total)
        assert source is not None
        if self.compiled:
            return self._entered(iterable, source, total)
        self.entries += 1
        if self._is_brief():
            self.retire()
            return iterable
        if self._is_due() and self._is_long(total):
            return self._no_turns(iterable, source, total)
        return self._piece(iter(iterable), source, total)

    def _entered(self, iterable: Any, source: Source, total: int) -> Any:
        """What is iterated over before compiled code runs, if that pays."""
        if not self._is_long(total):
            return iterable
        if self.doubt and (some := turns_to_time(self)):
            return self._piece(iter(iterable), source, total, some)
        if self.runs >= self.timed_again and self._is_timed_again(total):
            return self._piece(iter(iterable), source, total, total)
        return self._no_turns(iterable, source, total)

    def _is_long(self, turns: float) -> bool:
        """Whether an entry of so many turns is to be run compiled."""
        expected = turns * self.turn_seconds
        if expected >= (self.enter_from or ENTER_FROM):
            return True
        if expected >= ENTER_FROM:
            self.enter_from *= FORGOTTEN
        return False

    def _is_timed_again(self, turns: int) -> bool:
        """Whether the interpreter makes an entry that is hardly worth a run: turns that were timed
        while the processor was slow would have all such entries run compiled from then on.
        """
        if turns * self.turn_seconds > TIMED_AGAIN * ENTER_FROM:
            return False
        self.timed += 1
        if self.timed % FEW == 0:
            self.timed_again = FEW * self.runs
        return True

    def _is_brief(self) -> bool:
        """Whether the last entries were so short that none would be run compiled. A loop that a
        `return` ends is as long as its pieces.
        """
        if self.entries % JUDGED_ENTRIES or any(
            inner.compiled and inner.live for inner in self.inner
        ):
            return False
        spent, self.spent_before = self.spent - self.spent_before, self.spent
        return spent < JUDGED_ENTRIES * ENTER_FROM

    def begin(self) -> Iterable[None]:
        """The first turns of a `while` statement."""
        if self.is_eager:
            return self._no_turns(repeat(None), None, -1)
        if self.asleep_until and self._is_asleep():
            return repeat(None)
        self.entries += 1
        if not self.compiled and self._is_brief():
            self.retire()
            return repeat(None)
        is_due = bool(self.compiled) or self._is_due()
        if is_due and self._is_long(self.made / self.entries):
            return self._no_turns(repeat(None), None, -1)
        return self._while_piece()

    def resume(self, step: Step, current: Any = None) -> Turns:
        """One turn of this loop, which a compiled run of it or of one around was left in.

        `current` is the value that the target of a `for` statement has in that turn.
        """
        if self.is_while:
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
        count = min(most or self._count(), total)
        turns = Turns(rest, count)
        turns.rest, turns.source, turns.count, turns.left = rest, source, count, total - count
        turns.began, turns.machine = _now(), _machine
        return turns

    def _while_piece(self, most: int = 0) -> Turns:
        count = most or self._count()
        rest = repeat(None, count)
        turns = Turns(rest, None)
        turns.rest, turns.source, turns.count, turns.left = rest, None, count, -1
        turns.began, turns.machine = _now(), _machine
        return turns

    def _count(self) -> int:
        """Turns of a piece."""
        if self.turn_seconds:
            return max(int(PIECE / self.turn_seconds), 1)
        return 1 if self.inner else 16

    # --- between turns ------------------------------------------------------------------------

    def stop(self, turns: Turns) -> None:
        """Time the turns of a loop that was left by `break`, or whose condition is false."""
        made = turns.count
        if self.is_while:
            made -= turns.rest.__length_hint__()  # type: ignore[attr-defined]
        self._time(turns, made)

    def _time(self, turns: Turns, made: int) -> None:
        """Count the seconds since the interpreter began with some turns."""
        if made:
            self.made += made
            seconds = _now() - turns.began
            interpreted = seconds - (_machine - turns.machine)
            self.spent += interpreted
            # Single turns after compiled runs take long: the engine plans them anew.
            if made >= FEW or not self.compiled:
                self._sample(made, seconds, interpreted)

    def _sample(self, made: int, seconds: float, interpreted: float) -> None:
        """Compute a turn's time from some turns and those before, of which older ones count less:
        deferred operations are evaluated in some turns for all.
        """
        if seconds > PREEMPTED and seconds > 16 * made * self.turn_seconds > 0 and not self.is_odd:
            # Perhaps the system ran something else meanwhile. The next time it is the loop's.
            self.is_odd = True
            return
        self.is_odd = False
        turns, whole, without = self.pending
        turns, whole, without = turns + made, whole + seconds, without + interpreted
        if turns < FEW and whole < TELLING and self.samples:
            self.pending = turns, whole, without
            return
        if self.samples > 1:  # the first turns, in which the engine plans, are left out
            before, whole_before, without_before = self.recent
            turns += before / 2
            whole += whole_before / 2
            without += without_before / 2
        self.recent, self.pending = (turns, whole, without), NO_TURNS
        self.turn_seconds, self.turn_interpreted = whole / turns, without / turns
        self.samples += 1

    def is_hot(self, turns: Turns) -> bool:
        """Whether the loop, whose `turns` are over, is to be run compiled from here on."""
        if turns.count:
            self._time(turns, turns.count)
        elif turns.left > 0 and self.compiled and self.live and not self.is_eager:
            return not is_watched()  # as is found where such a loop is entered
        if turns.left == 0 and not self.is_eager:
            return False
        if not self.live or is_watched():
            return False
        if self.is_eager:
            return True
        if self.is_while:
            return bool(self.compiled) or self._is_due()
        if turns.source is None or not self._is_long(turns.left):
            return False
        if self.compiled:
            return True
        patience = self._patience()
        to_come = turns.left * self.turn_interpreted
        if self._is_due():
            # Entered for the first time, it may be entered no more.
            return self.entries > 1 or to_come >= patience
        # The first turns are slower than the others: the engine plans and compiles.
        is_known = self.samples > 1 and self.spent >= KNOWN_AFTER * patience
        return is_known and to_come >= TO_COME * patience

    def _patience(self) -> float:
        """Seconds of the interpreter before the site is compiled."""
        return self.threshold + (0 if _COMPILER in sys.modules else IMPORT_COMPILER)

    def _is_due(self) -> bool:
        """Whether it has been interpreted for as long as compiling takes, and is not to be compiled
        with the loop around it: that would be compiled late, as little is left to interpret then.
        """
        patience, around = self._patience(), self.around
        if self.spent < patience:
            return False
        return (
            around is None
            or not around.live
            or bool(around.compiled or around.attempts or around.sourceless or around.is_large)
            or not 0 < around.turn_seconds < self.spent < WAITS * patience
            or around._statements() > MOST_AROUND * self._statements()
        )

    def _statements(self) -> int:
        """How many statements the loop has."""
        return self.weight + sum(inner._statements() for inner in self.inner)

    def more(self, turns: Turns) -> Any:
        """What a loop that stays with the interpreter iterates over next; None at its end."""
        if turns.left == 0:
            return self._grown(turns)
        if not self.live or is_watched():
            return repeat(None) if self.is_while else turns.rest
        if self.is_while:
            return self._while_piece()
        if turns.source is None:
            return turns.rest
        source = advance(turns.source, turns.count)
        return self._piece(iter(turns.rest), source, turns.left)

    def _grown(self, turns: Turns) -> Any:
        """The turns for items that a list has got since the loop began; None if there are none."""
        if isinstance(turns.source, Walk):
            return turns.rest  # which raises if the last turn has added or removed keys
        if turns.source is None or not may_change(turns.source):
            return None
        source = advance(turns.source, turns.count)
        return self._piece(iter(turns.rest), source, len(source)) if len(source) else None

    # --- compiled runs ------------------------------------------------------------------------

    def run(self, turns: Turns, local: dict[str, Any], globals_: dict[str, Any]) -> Step:
        """Run the loop compiled from here on, if it can be."""
        source = turns.source
        if turns.count and source is not None:
            source = advance(source, turns.count)
        try:
            quick = self.compiled[0].quick if self.compiled and not self.slow else None
            if quick and (step := quick.run(self, local, globals_, source, turns.left)):
                return step
            names = Names(local, globals_, self.local_names)
            if type(source) is Walk and is_changed(source):
                return Step(turns.rest)
            outcome = self._outcome(names, source)
            if outcome is None:
                if self.live and self._may_wait():
                    return Step(self._next_piece(turns, source))
                return self._refused(turns)
            if source is not None:
                # A list that has become shorter than what was taken of it is left at once.
                outcome.iterators.setdefault(0, source)
            return self.step_of(outcome, names)
        finally:
            if not self.is_module_level:
                # Until Python 3.13 the frame keeps this dictionary, and with it the values.
                local.clear()

    def _outcome(self, names: Names, source: Source | None) -> Outcome | None:
        """How a compiled run from here on ends; None if there is no code for it."""
        if not self.is_while and source is None:
            self._refuse(Refusal(self.line, _NO_SOURCE))
            return None
        global _compiling
        is_long = source is not None and takes_long(self, len(source))
        start, own = perf_counter(), thread_time() if is_long else 0.0
        for compiled in self.compiled:
            if self.slow:
                outcome = self._tried(compiled, names, source)
            else:
                outcome = compiled.run(names, source)
                seconds = perf_counter() - start
                self._count_outcome(seconds, outcome, thread_time() - own if is_long else seconds)
            if outcome is not None:
                if compiled is not self.compiled[0]:
                    # Tried first the next time; the loop over the list ends here.
                    self.compiled.remove(compiled)
                    self.compiled.insert(0, compiled)
                if 2 * self.slower > self.runs:
                    self.judge()
                return outcome
        if self._may_wait():
            return None
        if len(self.compiled) == MAX_COMPILED:
            self._refuse(Refusal(self.line, f"more than {MAX_COMPILED} combinations of types"))
            self.retire()
            return None
        start = perf_counter()
        # Compiling makes many objects, for which the collector would visit all of the program's.
        with Uncollected(makes_garbage=True):
            # 7 to 10 ms that programs without hot loops do not wait for.
            from fastnp._loops import compiler

            began = perf_counter()
            limit, later = self._limit()
            try:
                found = compiler.compile_loop(self, names, source, limit)
            except Exception as error:
                # A mistake of the compiler's: the interpreter runs the program all the same, and
                # the report has it. Tests and `jit` compile eagerly.
                if self.is_eager:
                    raise
                found = Refusal(self.line, f"an error in the compiler: {error!r}")
        took = perf_counter() - began
        _compiling += began - start + took
        if isinstance(found, Refusal):
            if later < inf and found.reason == TOO_LONG:
                self.threshold = max(self.threshold, later)
                self.is_large = True
            else:
                self._refuse(found)
            return None
        self.compiled.append(found)
        self.threshold = max(self.threshold, took)
        if self._has_many_versions():
            self.threshold *= MORE_PATIENCE
        spent, self.spent, site = self.spent, 0.0, self.around
        while site is not None:
            # What was interpreted here no longer is: no reason to compile the loop around. A part
            # of it is counted there when the turn is over that is being made.
            site.spent -= spent
            site.recent = NO_TURNS
            # Compiling that compiles this once more.
            site.threshold = max(site.threshold, took)
            site = site.around
        outcome = self._tried(found, names, source)
        if outcome is None:
            self._refuse(
                Refusal(self.line, "its arrays share memory, or the items of a list differ")
            )
        return outcome

    def _limit(self) -> tuple[int, float]:
        """Lines that the loop may take now, and the seconds after which it may take more."""
        if self.is_eager:
            return TIERS[-1]
        return next(tier for tier in TIERS if self.spent < tier[1])

    def _may_wait(self) -> bool:
        """Whether the loop is interpreted longer before another version of it is compiled. The
        first versions are compiled at once: for arrays of two orders, each entered before and after
        the first turn.
        """
        waits = self.is_large or self._has_many_versions()
        return waits and self.spent < self.threshold and not self.is_eager

    def _has_many_versions(self) -> bool:
        """Whether there is code for many types, or for other objects of the types there are."""
        return len(self.compiled) >= FEW_VERSIONS or any(
            compiled.is_for_others for compiled in self.compiled
        )

    def _next_piece(self, turns: Turns, source: Source | None) -> Turns:
        """Some more turns of the interpreter."""
        if source is None:
            return self._while_piece()
        return self._piece(iter(turns.rest), source, len(source))

    def _count_outcome(self, seconds: float, outcome: Outcome | None, own: float) -> None:
        """Counts the seconds of a run, or of finding that the code is for other types."""
        if outcome is None:
            self.seconds += own
        else:
            turns = inf if outcome.pauses else outcome.turns
            self.count_run(outcome.seconds, seconds - outcome.seconds, own, turns)

    def count_run(self, machine: float, beyond: float, own: float, turns: float) -> None:
        """Counts the seconds of a run in machine code and beyond it; `own` are both, without what
        the system ran meanwhile as far as that is known.
        """
        global _machine
        _machine += machine
        self.seconds += own
        if self.runs:  # in the first, much is done once
            beyond = min(MARGIN * beyond, MOST_BEYOND * (self.enter_from or ENTER_FROM))
            self.enter_from = (self.enter_from + beyond) / 2 if self.enter_from else beyond
        if own > turns * self.turn_seconds > 0:
            self.slower += 1

    def _tried(self, found: Compiled, names: Names, source: Source | None) -> Outcome | None:
        """The first run of compiled code: of some turns, where it is known how long they take
        interpreted.

        Code that was not faster twice, and lost some time, is not run again; the first times, much
        is done once.
        """
        some = int(TRIAL / self.turn_seconds) if self.turn_seconds else 0
        tried = source
        if (
            source is not None
            and 0 < some < len(source)
            and not (may_change(source) or found.copies_lists)
        ):
            tried = beginning(source, some)
        # What is pending the run would compute first, which is no time of the loop's.
        _fastnp.flush()
        # The thread's own seconds: a trial is short, and may be preempted for longer.
        start, own = perf_counter(), thread_time()
        outcome = found.run(names, tried)
        seconds = thread_time() - own
        self._count_outcome(perf_counter() - start, outcome, seconds)
        if outcome is None:
            return None
        if tried is not source and outcome.at != BROKE:
            assert source is not None
            assert tried is not None
            left = 0 if outcome.at == DONE else len(outcome.iterators[0])  # type: ignore[arg-type]
            outcome.at = max(outcome.at, 0)
            outcome.iterators[0] = advance(source, len(tried) - left)
        if not outcome.turns or not self.turn_seconds:
            return outcome
        if seconds < outcome.turns * self.turn_seconds:
            self.slow = 0
            return outcome
        self.slow += 1
        lost = self.seconds - (self.turns + outcome.turns) * self.turn_seconds
        if self.slow > 1 and lost > LOST:
            self._refuse(Refusal(self.line, "it is not faster compiled"))
            self.retire()
        return outcome

    def judge(self) -> None:
        """Retire a site most of whose runs, which may be short, cost more than the interpreter's
        turns. How long those take is not known of a loop that was compiled at once.
        """
        if is_given_up(self):
            self._refuse(Refusal(self.line, "it is not faster compiled"))
            if not self.is_strict:
                self.retire()

    def _refuse(self, refusal: Refusal) -> None:
        if refusal not in self.refusals:
            self.refusals.append(refusal)
        for site in [self, *self._refused_too(refusal.line)]:
            site.attempts += 1
            site.asleep_until = _now() + AGAIN_AFTER * max(site.spent, self.spent) + COMPILE_AFTER
            site.spent = site.spent_before = 0.0
            is_final = refusal.reason == TOO_LONG and site is self
            if (is_final or site.attempts >= MAX_REFUSALS) and not site.is_strict:
                site.retire()

    def _refused_too(self, line: int) -> Iterator[Site]:
        """The sites inside and around that each turn has the refused statement of: they would be
        refused for it too.
        """
        waiting = [*self.inner]
        while waiting:
            site = waiting.pop()
            if any(statement.lineno == line for statement in site.statements[1:]):
                yield site
                waiting += site.inner
        site = self
        while line != self.line and site.around is not None and site.node in site.around.node.body:
            site = site.around
            yield site

    def _refused(self, turns: Turns) -> Step:
        step = Step(repeat(None) if self.is_while else turns.rest)
        if self.is_strict:
            refusal = self.refusals[-1]
            place = f"{self.filename}:{refusal.line}"
            step.error = LoopError(f"{place}: the loop is not compiled: {refusal.reason}")
        return step

    def step_of(self, outcome: Outcome, names: Names) -> Step:
        """What the interpreter does after a run."""
        self.runs += 1
        self.turns += outcome.turns
        self.made += outcome.turns
        step = Step()
        step.error = outcome.error
        step.row, step.unbound = self._row(outcome, names)
        if outcome.made:
            step.made = frozenset(map(self.first.__add__, outcome.made))
        if outcome.at == BROKE:
            step.rest = False
        elif outcome.at != DONE:
            self._left(outcome, step)
        return step

    def _row(self, outcome: Outcome, names: Names) -> tuple[tuple[Any, ...], frozenset[str]]:
        """The values of the names that the loop binds; None for those that are not bound."""
        row, unbound, values = [], outcome.unbound, outcome.values
        for name in self.binds:
            if name in values:
                row.append(values[name])
            elif name not in unbound and names.bound(name):
                row.append(names[name])
            else:
                unbound += (name,)
                row.append(None)
        return tuple(row), frozenset(unbound) if unbound else NOTHING

    def _left(self, outcome: Outcome, step: Step) -> None:
        at = outcome.at
        line = self.statements[at].lineno
        if (at or self.is_while) and not outcome.pauses:
            self.leaves[line, outcome.reason] += 1
        if at and at not in self.resumable:
            raise AssertionError(f"{self.filename}:{line}: compiled code was left within a block")
        step.iterators = {self.first + k: rest for k, rest in outcome.iterators.items()}
        if at:
            step.at = self.first + at + BETWEEN * (at in outcome.iterators)
        elif self.is_while:
            step.rest = self._while_piece(1)
        else:
            step.rest = self._head(step.iterators.pop(self.first))
        if self.is_strict and step.error is None:
            place = f"{self.filename}:{line}"
            step.error = LoopError(f"{place}: the compiled loop was left: {outcome.reason}")
        left = self.leaves.total()
        if left >= MAX_LEAVES and self.turns < left * TURNS_A_LEAVE and not self.is_strict:
            self.retire()

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
        site.plain = site.plain_turns = not site.live


_switch.observe(_switched)


# Seconds that loops were compiled for, which are no time of the program's; and those that compiled
# loops ran: what is interpreted around such a loop is all that compiling the loop around it saves.
_compiling = 0.0
_machine = 0.0


def _now() -> float:
    return perf_counter() - _compiling


def _restored(
    node: ast.For | ast.While, filename: str, is_module_level: bool, fields: dict[str, Any]
) -> Site:
    site = Site(node, filename, is_module_level)
    for name, value in fields.items():
        setattr(site, name, value)
    for inner in site.inner:
        inner.around = site
    return site
