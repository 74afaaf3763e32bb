"""Which loops are compiled, kept and given up: decisions of sites."""

from __future__ import annotations

import ast
import sys
import time
from typing import Any

import pytest
from fastnp._loops import compiler
from fastnp._loops import site as sites_of_loops
from fastnp._loops.entry import Rest
from fastnp._loops.names import Names
from fastnp._loops.outcome import TOO_LONG, Outcome, Refusal
from fastnp._loops.rewrite import compile_tree
from fastnp._loops.site import Site
from fastnp._loops.thresholds import FEW, JUDGED, JUDGED_ENTRIES, TIERS

from tests.loops.compare import outcome


def sites(source: str) -> tuple[Any, list[Site]]:
    """The code of a program, and its loops."""
    code, unit = compile_tree(ast.parse(source), "program.py")
    return code, unit.sites


class Timed:
    """Stands for compiled code whose runs take given seconds."""

    copies_lists = is_for_others = False
    quick = None

    def __init__(self, site: Site, seconds: list[float]) -> None:
        self.site, self.seconds = site, seconds

    def run(self, names: Any, source: Any) -> Outcome:
        """A run of a hundred turns."""
        # As if it had begun so much earlier.
        self.site.seconds += self.seconds[0]
        if self.seconds.pop(0) > 100 * self.site.turn_seconds:
            self.site.slower += 1
        return Outcome(turns=100)

    def describe(self) -> str:
        """Nothing."""
        return ""


class Waiting(Timed):
    """Stands for compiled code in whose runs the system runs something else."""

    def run(self, names: Any, source: Any) -> Outcome:
        """A run of a hundred turns, that has the processor for a third of the time."""
        began = time.thread_time()
        while time.thread_time() < began + 1.3e-3:
            pass
        time.sleep(3e-3)
        return Outcome(turns=100)


def after(seconds: list[float]) -> Site:
    """A loop whose turns take a microsecond in the interpreter, after runs of these seconds."""
    site = Site(ast.parse("for i in x:\n    pass").body[0], "program.py", False)  # type: ignore[arg-type]
    site.turn_seconds = 1e-6
    site.compiled.append(Timed(site, seconds))
    for _ in [*seconds]:
        found = site._outcome(Names({}, {}, frozenset()), Rest((0,) * 100))
        assert found is not None
        site.runs, site.turns = site.runs + 1, site.turns + found.turns
    return site


def interpreted(turns: int, seconds: float, left: int, pieces: int = 2, entries: int = 1) -> bool:
    """Whether a loop is compiled after pieces of so many turns, with so many left.

    The compiler is imported.
    """
    site = Site(ast.parse("for i in x:\n    y += 1").body[0], "program.py", False)  # type: ignore[arg-type]
    site.entries = entries
    for _ in range(pieces):
        given = site._piece(iter([]), range(turns + left), turns + left, turns)
        given.began -= seconds
        hot = site.is_hot(given)
    return hot


def test_when_a_loop_is_compiled() -> None:
    """After four milliseconds, if as much is to come or it is entered again and again, or as soon
    as it is known that there is three times as much.
    """
    assert compiler.__name__ in sys.modules
    assert interpreted(10, 2.1e-3, 10, entries=2)
    assert not interpreted(10, 2.1e-3, 10)
    assert interpreted(10, 2.1e-3, 30)
    assert not interpreted(10, 1.5e-3, 10, entries=2)
    assert interpreted(10, 3e-4, 450)
    assert not interpreted(10, 3e-4, 350)
    # The first turns take longer than others, and less says nothing.
    assert not interpreted(10, 3e-3, 600, pieces=1)
    assert not interpreted(10, 1e-4, 10_000)


def test_a_loop_waits_for_the_one_around_it() -> None:
    """Until it was interpreted for twice as long as compiling takes."""
    around, inner = sites("for i in x:\n    for j in y:\n        z += 1\n        w += 1")[1]
    inner.spent = 5e-3
    assert inner._is_due()  # it is not known how long a turn of the loop around takes
    around.turn_seconds = 1e-3
    assert not inner._is_due()
    inner.spent = 9e-3
    assert inner._is_due()
    inner.spent = 5e-3
    for name, value in [
        ("live", False),
        ("attempts", 1),
        ("sourceless", 1),
        ("is_large", True),
        ("turn_seconds", 1e-2),
        ("weight", 10),
        ("compiled", [Timed(around, [])]),
    ]:
        before = getattr(around, name)
        setattr(around, name, value)
        assert inner._is_due(), name
        setattr(around, name, before)
    assert not inner._is_due()


def test_single_turns_after_compiled_runs_are_not_timed() -> None:
    """They take long, as the engine plans them anew."""
    site = after([1e-5])
    given = site._piece(iter([]), range(100), 100, 1)
    given.began -= 1e-3
    site.is_hot(given)
    assert site.turn_seconds == 1e-6


def test_short_entries_are_timed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some entries that are hardly worth a run are the interpreter's now and then: their turns may
    have been timed while the processor was slow.
    """
    site, now = after([]), time.perf_counter()
    monkeypatch.setattr(sites_of_loops, "_now", lambda: now)
    assert site._first_turns(range(40)).count == 0
    site.runs = JUDGED_ENTRIES
    assert site._first_turns(range(100)).count == 0
    for _ in range(FEW):
        given = site._first_turns(range(40))
        assert given.count == 40
        given.began = now - 40e-6
        assert not site.is_hot(given)
    assert site._first_turns(range(40)).count == 0
    site.runs = FEW * JUDGED_ENTRIES
    given = site._first_turns(range(40))
    given.began = now - 8e-6
    assert not site.is_hot(given)
    assert site._first_turns(short := range(20)) is short


def test_deferred_operations_count_for_the_turns_before() -> None:
    """They are evaluated in one turn for many: a turn's time is that of several pieces."""
    site = Site(ast.parse("for i in x:\n    y += 1").body[0], "program.py", False)  # type: ignore[arg-type]
    for seconds in (9e-2, 1e-4, 1e-4, 1e-4):
        site._sample(10, seconds, seconds)
    assert site.turn_seconds == pytest.approx(1e-5)
    site._sample(1, 5e-5, 5e-5)
    assert site.turn_seconds == pytest.approx(1e-5)
    site._sample(1, 3e-4, 0.0)
    assert 1e-5 < site.turn_seconds < 1e-4
    assert site.turn_interpreted == pytest.approx(1e-5, rel=0.3)


def test_what_a_compiled_loop_took_is_no_reason_to_compile_that_around(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Neither in the turns that are over, nor in that which is being made. Compiling the loop
    around takes as long again.
    """
    compile_loop = compiler.compile_loop

    def slowly(*arguments: Any) -> Any:
        time.sleep(0.02)
        return compile_loop(*arguments)

    monkeypatch.setattr(compiler, "compile_loop", slowly)
    outer, inner = sites("for i in range(9):\n    for j in range(9):\n        s += j")[1]
    outer.spent, inner.spent = 4e-3, 3e-3
    inner._outcome(Names({"s": 0}, {"s": 0}, frozenset()), range(9))
    assert len(inner.compiled) == 1
    assert outer.spent == pytest.approx(1e-3)
    assert inner.spent == 0.0
    assert outer.threshold > 0.02


def test_a_preempted_run_says_nothing() -> None:
    """One run of many takes a time slice longer: the loop stays compiled."""
    assert after([1e-5] * 5 + [0.02] + [1e-5] * 5).live


def test_what_else_runs_says_nothing() -> None:
    """Runs wait for the processor, longer than the interpreter's turns take: the loop stays."""
    site = after([])
    site.turn_seconds = 20e-6
    site.compiled[0] = Waiting(site, [])
    for _ in range(2 * JUDGED):
        assert site._outcome(Names({}, {}, frozenset()), Rest((0,) * 100)) is not None
        site.runs, site.turns = site.runs + 1, site.turns + 100
    assert site.live
    assert not site.slower


def test_one_run_that_waits_keeps_no_entries_out() -> None:
    """What entering takes is known, and one run takes a time slice longer."""
    site = after([1e-6] * 3)
    site.enter_from = 15e-6
    site.count_run(1e-6, 5e-3, 1e-6, 100)
    assert site._is_long(100)
    for _ in range(12):  # lists that have become long
        site.count_run(1e-6, 5e-3, 1e-6, 100)
    assert not site._is_long(1_000)


def test_slow_code_is_given_up() -> None:
    """Each run is slower than the interpreter: together more than what is tolerated, twice."""
    site = after([2e-3] * 8 * JUDGED)
    assert not site.live
    assert "not faster" in site.refusals[0].reason


def test_the_interpreter_is_timed_again_before_code_is_given_up() -> None:
    """What its turns took was measured while the processor was faster."""
    site = after([1e-3] * (JUDGED + 1))
    assert site.live
    given = site._entered(range(10_000), range(10_000), 10_000)
    assert 0 < given.count < 10_000
    given.began = sites_of_loops._now() - given.count * 12e-6
    assert site.is_hot(given), "the loop continues in compiled code"
    assert site.turn_seconds == pytest.approx(12e-6, rel=0.1)
    assert not site._entered(range(10_000), range(10_000), 10_000).count, "timed once"
    site.compiled[0].seconds = [1e-3] * 8 * JUDGED  # type: ignore[attr-defined]
    for _ in range(8 * JUDGED):
        assert site._outcome(Names({}, {}, frozenset()), Rest((0,) * 100)) is not None
        site.runs, site.turns = site.runs + 1, site.turns + 100
    assert site.live


def test_items_that_no_sample_has() -> None:
    """A list's type is taken from some of its items; the entry finds the others."""
    source = """
items = [1] * 5003
items[3331] = 0.5
rows = [[1, 2]] * 5003
rows[17] = [1, 2.5]
empty = [[]] * 5003
empty[3331] = [4]
total = 0
for i in range(len(items)):
    total += items[i]
for i in range(len(rows)):
    total += rows[i][1]
for i in range(len(empty)):
    total += len(empty[i])
"""
    expected = outcome(compile(source, "program.py", "exec", dont_inherit=True))
    code, found = sites(source)
    for site in found:
        site.is_eager = True
    assert outcome(code) == expected


def test_a_list_that_grows() -> None:
    """Items that the interpreter's turns append are made turns too, also where `zip` takes them."""
    source = """
K, L, seen = [2, 4], [0] * 7, 0
for i in range(4):
    for j, b in zip(K, L):
        K.append(i)
for k, j in enumerate(K):
    if k < 90:
        K.append(k)
queue = list(range(40))
for node in queue:
    seen += 1
    if node < 5000:
        queue.append(node + 40)
"""
    expected = outcome(compile(source, "program.py", "exec", dont_inherit=True))
    assert outcome(sites(source)[0]) == expected


def test_a_mistake_of_the_compiler_leaves_the_loop_to_the_interpreter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(*_: object) -> Any:
        raise KeyError("register")

    monkeypatch.setattr(compiler, "compile_loop", fails)
    (site,) = sites("for i in range(9):\n    s += i")[1]
    names = Names({"s": 0}, {"s": 0}, frozenset())
    assert site._outcome(names, range(9)) is None
    assert [refusal.reason for refusal in site.refusals] == [
        "an error in the compiler: KeyError('register')"
    ]
    site.is_eager = True
    with pytest.raises(KeyError):
        site._outcome(names, range(9))


def test_much_code_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop that takes many lines of code is asked for again once it has been interpreted as long
    as writing them takes, and once more, and no more after that.
    """
    asked: list[int] = []

    def refuses(loop: Any, names: Any, source: Any, limit: int) -> Any:
        asked.append(limit)
        return Refusal(loop.line, TOO_LONG)

    monkeypatch.setattr(compiler, "compile_loop", refuses)
    outer, _ = sites("for i in range(9):\n    for j in range(9):\n        s += j")[1]
    names = Names({"s": 0}, {"s": 0}, frozenset())
    for spent in (5e-3, 6e-3, 5e-2, 6e-2, 0.3):
        outer.spent = spent
        assert outer._outcome(names, range(9)) is None
    assert asked == [lines for lines, _ in TIERS]
    assert not outer.live
    assert len(outer.refusals) == 1


def test_a_range_that_has_no_length() -> None:
    """It has more items than a machine word counts: the interpreter iterates over it."""
    source = """
found = []
for k in range(3):
    for i in range(k, 10 ** 30, 10 ** 9):
        found.append(i)
        if i > 10 ** 11: break
print(len(found), found[-1])
"""
    code, _ = sites(source)
    assert outcome(code)[:2] == outcome(compile(source, "program.py", "exec"))[:2]
