"""Rewritten loops do what the source says, wherever compiled code takes over and is left."""

from __future__ import annotations

import ast
import gc
import pickle
import warnings
from textwrap import dedent
from types import CodeType
from typing import Any

import fastnp
import pytest
from fastnp._loops import compiler
from fastnp._loops import site as site_policy
from fastnp._loops.entry import Enumeration, Rest, Zip, advance, source_of
from fastnp._loops.outcome import DONE, Outcome, Refusal
from fastnp._loops.rewrite import Unit, compile_tree

from tests.loops.compare import check, events, outcome
from tests.loops.mock import mocked


def built(source: str, is_eager: bool = True) -> tuple[CodeType, Unit]:
    """A program with sites that ask the compiler at once."""
    code, unit = compile_tree(ast.parse(dedent(source)), "program.py")
    for site in unit.sites:
        site.is_eager = is_eager
    return code, unit


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("first", range(0, 24, 6))
def test_random_programs_agree(first: int) -> None:
    for seed in range(first, first + 6):
        source, difference = check(seed)
        assert not difference, f"{difference}\n{source}"


TRACED = """
def f(n):
    s = 0
    for i in range(n):
        if i == 3:
            continue
        while s < 4:
            s += 1
            if s == 2: break
        else:
            s += 2
        for j in (1, 2):
            s += j
    else:
        s += 5
    try:
        for i in [1, 0]:
            1 // i
    except ZeroDivisionError:
        s += 1
    return s
for k in range(3):
    print(f(k))
"""


def test_a_debugger_sees_the_source() -> None:
    code, _ = built(TRACED)
    expected = events(compile(TRACED, "program.py", "exec"))
    assert events(code) == expected


def test_hidden_variables_stay_hidden() -> None:
    source = """
    before = set(globals())
    for i in range(4):
        for j in range(2):
            pass
    def f():
        for i in range(3):
            pass
        return sorted(locals())
    def g():
        for i in range(3):
            x = i
        return sys._getframe().f_locals
        names = sorted(globals())
    shown = f()
    """
    variables: dict[str, Any] = {}
    with mocked(1):
        exec(built(source)[0], variables)
    assert not [name for name in variables if "." in name]
    assert variables["shown"] == ["i"]


def test_sites_keep_nothing_alive() -> None:
    source = """
    class Thing: pass
    def f():
        things = [Thing() for _ in range(4)]
        first = weakref.ref(things[0])
        try:
            for thing in things:
                raise ValueError
        except ValueError:
            pass
        with contextlib.suppress(ValueError):
            for thing in things:
                raise ValueError
        del things, thing
        return first()
    def g():
        things = [Thing() for _ in range(4)]
        first = weakref.ref(things[0])
        for thing in things:
            other = thing
        del things, thing, other
        return first()
    def h():
        things = [Thing() for _ in range(4)]
        first = weakref.ref(things[0])
        for thing in things:
            if thing is things[2]: break
        del things, thing
        return first()
    import contextlib, weakref
    found = [f(), g(), h()]
    """
    for seed in range(10):
        gc.disable()
        try:
            with mocked(seed, budget=5):
                variables: dict[str, Any] = {}
                exec(built(source, seed > 3)[0], variables)
        finally:
            gc.enable()
        assert variables["found"] == [None, None, None]


def test_iterables_are_asked_as_the_source_says() -> None:
    """Nothing of ours calls a user's `__iter__`, `__next__` or `__len__`."""
    source = """
    calls = []
    class Own:
        def __init__(self): self.n = 0
        def __iter__(self): calls.append("iter"); return self
        def __len__(self): calls.append("len"); return 3
        def __next__(self):
            calls.append("next")
            self.n += 1
            if self.n > 3: raise StopIteration
            return self.n
    def f(x):
        for i in x: pass
    for _ in (0, 1): f(Own())
    shared = iter([1, 2, 3, 4, 5, 6, 7])
    for a, b in zip(shared, [1, 2, 3]):
        if a == 2: break
    rest = list(shared)
    numbered = iter("abc")
    for n, c in enumerate(numbered):
        if n == 1: break
    left = list(numbered)
    """
    expected: dict[str, Any] = {}
    exec(compile(dedent(source), "p", "exec"), expected)
    for seed in range(10):
        with mocked(seed, budget=8):
            found: dict[str, Any] = {}
            exec(built(source)[0], found)
        for name in ("calls", "rest", "left"):
            assert found[name] == expected[name]


@pytest.mark.parametrize("bad", ["3", "None", "object()", "[(1, 2, 3)]", "Broken()"])
def test_errors_of_a_loops_head(bad: str) -> None:
    source = f"""
class Broken:
    def __iter__(self): return 3
def f():
    for i, j in (
        {bad}
    ):
        pass
f()
"""
    assert outcome(built(source)[0]) == outcome(compile(source, "program.py", "exec"))


def test_async_functions() -> None:
    source = """
    import asyncio
    async def numbers(n):
        for i in range(n):
            for j in range(2):
                total = i + j
            yield total
    async def f():
        found = []
        async for x in numbers(4):
            for k in range(3):
                x += k
            found.append(x)
        for k in range(3):
            await asyncio.sleep(0)
            found.append([y async for y in numbers(k)])
        return found
    found = asyncio.run(f())
    """
    expected: dict[str, Any] = {}
    exec(compile(dedent(source), "p", "exec"), expected)
    for seed in range(5):
        with mocked(seed, budget=6):
            found: dict[str, Any] = {}
            exec(built(source)[0], found)
        assert found["found"] == expected["found"]


def test_warnings_have_their_places() -> None:
    source = """
    import warnings
    def f():
        for i in range(3):
            warnings.warn("here", stacklevel=1)
            assert (i, "always true") if i > 3 else True
    f()
    """
    with mocked(3), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(built(source)[0], {"__name__": "p"})
    assert [(w.filename, w.lineno) for w in caught] == [("program.py", 5)] * 3


def test_deep_nests_compile() -> None:
    """Python allows twenty nested blocks, a site takes two; each statement stands there twice."""
    for depth in (3, 8, 12, 18):
        lines = ["s = 0"] + [
            "    " * k + f"for i{k} in range({2 if k < 8 else 1}):" for k in range(depth)
        ]
        source = "\n".join([*lines, "    " * depth + "s += i0 + 1"])
        expected: dict[str, Any] = {}
        exec(compile(source, "p", "exec"), expected)
        for seed in range(3):
            with mocked(seed):
                found: dict[str, Any] = {}
                code, unit = built(source)
                exec(code, found)
            assert found["s"] == expected["s"]
        assert len(unit.sites) == min(depth, 20 - depth)


def test_what_is_no_site_says_why() -> None:
    source = """
    class C:
        for i in range(3): pass
    def f(x):
        for i in x: yield i
        for x.y in x: pass
    def g(x):
        for i in x: pass
        return locals()
    """
    _, unit = built(source)
    assert not unit.sites
    assert [(r.line, r.reason) for r in unit.refused] == [
        (5, "yields"),
        (6, "its target is no name or tuple of names"),
        (8, "the function may call locals()"),
        (3, "in the body of a class"),
    ] or sorted(r.line for r in unit.refused) == [3, 5, 6, 8]


def test_sources() -> None:
    xs = [5, 6, 7, 8]
    assert list(advance(Rest(xs), 3)) == [8]
    assert list(advance(Rest((1, 2, 3)), 1)) == [2, 3]
    assert list(advance(Rest(fastnp.arange(5)), 2)) == [2, 3, 4]
    assert advance(range(3, 9, 2), 1) == range(5, 9, 2)
    assert list(advance(Enumeration(Rest(xs), 4), 1)) == list(enumerate(xs, 4))[1:]
    assert list(advance(Zip(Rest(xs), range(3)), 2)) == list(zip(xs, range(3)))[2:]
    # Not within the assertion, which keeps the parts of an expression.
    source = source_of(enumerate(zip(xs, range(2))))
    assert list(source or ()) == list(enumerate(zip(xs, range(2))))
    held = iter(xs)
    assert source_of(zip(held, xs)) is None
    assert source_of(enumerate(held)) is None
    assert source_of(map(str, xs)) is None
    assert source_of(fastnp.array(3)) is None


def test_an_interrupt_stores_the_names() -> None:
    class Interrupted:
        copies_lists = is_for_others = False
        quick = None

        def describe(self) -> str:
            return ""

        def run(self, names: Any, source: Any) -> Outcome:
            rest = {0: source[5:]}
            return Outcome(0, {"i": 4, "s": 10}, (), rest, 5, "interrupt", KeyboardInterrupt())

    variables: dict[str, Any] = {}
    source = "s = 0\nfor i in range(9):\n    s += i\n"
    before = compiler.compile_loop
    compiler.compile_loop = lambda *_: Interrupted()  # type: ignore[assignment]
    try:
        with pytest.raises(KeyboardInterrupt) as caught:
            exec(built(source)[0], variables)
    finally:
        compiler.compile_loop = before
    assert (variables["i"], variables["s"]) == (4, 10)
    assert [(t.frame.code.path, t.lineno) for t in caught.traceback[1:]] == [("program.py", 1)]


def test_when_a_loop_is_compiled() -> None:
    """Hot loops are, with the loops around them first; short ones and cold ones are not."""
    asked: list[int] = []

    class Whole:
        copies_lists = is_for_others = False
        quick = None

        def describe(self) -> str:
            return ""

        def run(self, names: Any, source: Any) -> Outcome:
            return Outcome(DONE, {}, (), {}, len(source))

    def compile_loop(loop: Any, names: Any, source: Any, limit: int = 0) -> Any:
        asked.append(loop.line)
        return Refusal(loop.line, "no") if loop.line == 5 else Whole()

    source = """\
for i in range(10): pass
for i in range(100000): pass
for k in range(1000):
    for i in range(3): pass
for k in range(3):
    for i in range(100000): pass
"""
    code, unit = built(source, False)
    for site in unit.sites:
        site.threshold = 2e-5
    before = compiler.compile_loop
    compiler.compile_loop = compile_loop
    try:
        exec(code, {})
    finally:
        compiler.compile_loop = before
    assert 1 not in asked
    assert {2, 3, 6} <= set(asked)
    by_line = {site.line: site for site in unit.sites}
    assert by_line[2].turns > 97000


def test_a_site_that_is_left_often_is_retired() -> None:
    with mocked(1, budget=3, refuses=0):
        code, unit = built("for i in range(30000): x = i", False)
        unit.sites[0].threshold = 0
        exec(code, {})
    (site,) = unit.sites
    assert not site.live
    assert site.leaves.total() < 100


def test_the_setting_turns_sites_off() -> None:
    code, unit = built("for i in range(9): x = i")
    with mocked(1) as _:
        with fastnp.settings(loops=0):
            assert not any(site.live for site in unit.sites)
            exec(code, {})
        assert unit.sites[0].runs == 0
        exec(code, {})
    assert unit.sites[0].runs > 0
    assert fastnp.settings()["loops"]["value"] == 1


def test_functions_are_pickled_by_value() -> None:
    variables: dict[str, Any] = {"__name__": "__main__"}
    exec(
        built("def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s")[0],
        variables,
    )
    cloudpickle = pytest.importorskip("cloudpickle")
    again = pickle.loads(cloudpickle.dumps(variables["f"]))
    assert again(5) == 10
    with mocked(2):
        assert again(5) == 10


def test_threads_and_recursion() -> None:
    source = """
    import threading
    def f(n):
        s = 0
        for i in range(n):
            s += f(i) if i % 2 else 1
        return s
    found = []
    threads = [threading.Thread(target=lambda: found.append(f(9))) for _ in range(4)]
    for t in threads: t.start()
    for t in threads: t.join()
    """
    expected: dict[str, Any] = {}
    exec(compile(dedent(source), "p", "exec"), expected)
    with mocked(5, budget=4):
        found: dict[str, Any] = {}
        exec(built(source)[0], found)
    assert found["found"] == expected["found"]


def test_a_while_statement_of_few_turns_is_retired(monkeypatch: pytest.MonkeyPatch) -> None:
    """Timing each entry would take longer than its turns."""
    # Other processes may run in between.
    monkeypatch.setattr(site_policy, "ENTER_FROM", 1e-3)
    monkeypatch.setattr(compiler, "compile_loop", lambda loop, *_: Refusal(loop.line, "no"))
    source = """\
for i in range(5000):
    k = 0
    while k < 2:
        k += 1
"""
    code, unit = built(source, False)
    exec(code, {})
    assert not next(site for site in unit.sites if site.line == 3).live


SHORT_LOOPS = """
def plain(n):
    s = 0
    for i in (1, 2, 3):
        s += i * n
    while s > 5 * n + 4:
        s -= 1
    return s

class Counter:
    count = 0

    def add(self, n):
        for i in (1, 2):
            self.count += n
        return self.count

    @staticmethod
    def halves(n):
        k = 0
        while n > 1:
            n //= 2
            k += 1
        return k

    @property
    def doubled(self):
        return [x for x in (1, 2)][-1] * self.count + sum(self.parts())

    def parts(self):
        found = []
        for i in (0, 1):
            found.append(i)
        return found

def closed():
    base = 10
    def inner(n):
        for i in (1, 2):
            n += base
        return n
    return inner

held = [closed()]
counter = Counter()
total = 0
for turn in range(24_000):
    total += plain(turn % 7) + counter.add(1) + counter.halves(turn % 9)
    total += held[0](1) + counter.doubled
"""


def test_functions_with_short_loops_alone_get_their_own_code_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(site_policy, "ENTER_FROM", 1e-3)
    monkeypatch.setattr(compiler, "compile_loop", lambda loop, *_: Refusal(loop.line, "no"))
    expected: dict[str, Any] = {"__name__": "program"}
    exec(compile(SHORT_LOOPS, "program.py", "exec"), expected)
    variables: dict[str, Any] = {"__name__": "program"}
    code, unit = built(SHORT_LOOPS, False)
    exec(code, variables)
    assert variables["total"] == expected["total"]
    counter = variables["Counter"]
    for function in (variables["plain"], counter.add, counter.halves, counter.parts):
        assert not any(isinstance(c, site_policy.Site) for c in function.__code__.co_consts)
        assert function.__code__.co_consts == _named(expected, function).__code__.co_consts
    # It is not found by a name of the module's.
    assert any(isinstance(c, site_policy.Site) for c in variables["held"][0].__code__.co_consts)
    assert {site.qualname for site in unit.sites if not site.plain} == {"<module>"}


def _named(variables: dict[str, Any], function: Any) -> Any:
    """The function of the same name."""
    first, *rest = function.__qualname__.split(".")
    found = variables[first]
    for name in rest:
        found = getattr(found, name)
    return found


def test_functions_keep_sites_as_long_as_one_is_run_compiled() -> None:
    source = """
def f(n):
    s = 0
    for i in (1, 2):
        s += i
    for i in range(n):
        s += i
    return s
"""
    variables: dict[str, Any] = {"__name__": "program"}
    code, unit = built(source, False)
    exec(code, variables)
    assert variables["f"](400_000) == 3 + 399_999 * 200_000
    for _ in range(30_000):
        variables["f"](2)
    short, long = unit.sites
    assert not short.live
    assert long.live
    assert any(constant is long for constant in variables["f"].__code__.co_consts)


NEST = """
found = []
for i in range(6):
    k = 0
    while k < 5:
        k += 1
        if k == 3:
            continue
        for j in range(4):
            if j > i:
                break
            found.append((i, k, j))
        else:
            found.append("all")
        if k > i:
            break
    else:
        found.append("five")
    if i == 4:
        break
else:
    found.append("six")
"""


def test_a_nest_of_retired_loops_runs_as_it_was() -> None:
    plain: dict[str, Any] = {}
    exec(NEST, plain)
    for alive in range(4):
        code, unit = compile_tree(ast.parse(NEST), "nest.py")
        for site in unit.sites[alive:]:
            site.retire()
        assert [site.plain for site in unit.sites] == [k >= alive for k in range(3)]
        found: dict[str, Any] = {}
        exec(code, found)
        assert found["found"] == plain["found"]
    outer, middle, inner = compile_tree(ast.parse(NEST), "nest.py")[1].sites
    plains = []
    for change in (outer.retire, inner.retire, middle.retire, outer.revive):
        change()
        plains.append(outer.plain)
    assert plains == [False, False, True, False]
