"""`jit` gives the function that it was given, with its loops compiled."""

from __future__ import annotations

import asyncio
import copy
import inspect
import pickle
import pydoc
import traceback
from typing import Any

import fastnp
import pytest
from fastnp._loops import compiler
from fastnp._loops.outcome import DONE, Outcome, Refusal

from tests.loops.mock import mocked


@fastnp.jit
def total(n: int, /, step: int = 1, *, start: int = 0) -> int:
    """Sum of numbers."""
    for k in range(start, n, step):
        start += k
    return start


class Counter:
    """A class whose methods have loops."""

    def __init__(self, n: int) -> None:
        self.__n = n

    @fastnp.jit
    def count(self) -> int:
        """Counts."""
        found = 0
        for k in range(self.__n):
            found += k
        return found

    @staticmethod
    @fastnp.jit
    def several(n: int) -> list[int]:
        found = []
        for k in range(n):
            found += [k]
        return found

    @fastnp.jit
    @classmethod
    def made(cls, n: int) -> Any:
        for _ in range(3):
            n += 1
        return cls(n)


class Derived(Counter):
    """One that calls its base's."""

    @fastnp.jit
    def count(self) -> int:
        found = 0
        for _ in range(3):
            found += super().count()
        return found


@pytest.mark.parametrize("seed", range(5))
def test_functions_compute_what_they_did(seed: int) -> None:
    with mocked(seed, budget=6):
        assert total(10) == 45
        assert total(10, 2, start=2) == 22
        assert Counter(5).count() == 10
        assert Counter.several(4) == [0, 1, 2, 3]
        assert Derived(5).count() == 30
        assert Counter.made(2).count() == 10


def test_it_is_the_function_still() -> None:
    assert (
        str(inspect.signature(total))
        == "(n: 'int', /, step: 'int' = 1, *, start: 'int' = 0) -> 'int'"
    )
    assert total.__doc__ == "Sum of numbers."
    assert "Sum of numbers." in pydoc.render_doc(total)
    assert (total.__name__, total.__module__) == ("total", __name__)
    assert Counter.count.__qualname__ == "Counter.count"
    assert Counter.count.__code__.co_qualname == "Counter.count"
    assert pickle.loads(pickle.dumps(total)) is total
    assert copy.deepcopy(total) is total
    assert inspect.isfunction(total)
    assert not hasattr(total, "__wrapped__")
    assert inspect.getsource(total).startswith("@fastnp.jit\ndef total")


def test_closures_are_shared() -> None:
    count = 0

    def plain(n: int) -> int:
        nonlocal count
        for _ in range(n):
            count += 1
        return count

    fast = fastnp.jit(plain)
    for seed in range(5):
        with mocked(seed, budget=6):
            before = count
            assert fast(3) == before + 3
            assert plain(2) == count == before + 5


def test_generators_and_coroutines() -> None:
    @fastnp.jit
    def numbers(n: int) -> Any:
        for k in range(n):
            for j in range(2):
                k += j
            yield k

    @fastnp.jit
    async def slow(n: int) -> int:
        s = 0
        for k in range(n):
            s += k
        await asyncio.sleep(0)
        return s

    with mocked(3, budget=4):
        assert list(numbers(3)) == [1, 2, 3]
        assert asyncio.run(slow(4)) == 6


def test_tracebacks_name_the_source() -> None:
    @fastnp.jit
    def divide(n: int) -> int:
        for k in range(n, -1, -1):
            n = 6 // k
        return n

    line = inspect.getsourcelines(divide)[1]
    for seed in range(5):
        with mocked(seed, budget=9), pytest.raises(ZeroDivisionError) as caught:
            divide(4)
        (_, place) = traceback.extract_tb(caught.value.__traceback__)
        assert (place.lineno, place.line) == (line + 3, "n = 6 // k")
        assert place.filename == __file__
        assert place.colno == len("            n = ")


class Known:
    """A compiled loop that does nothing, or is left at once."""

    copies_lists = is_for_others = False
    quick = None

    def __init__(self, at: int) -> None:
        self.at = at

    def matches(self, names: Any, source: Any) -> bool:
        return True

    def describe(self) -> str:
        return "n: int\nsome code"

    def run(self, names: Any, source: Any) -> Outcome:
        return Outcome(self.at, {}, (), {0: source}, 0, "too hot")


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the compiler gives: the one element."""
    given: list[Any] = []
    monkeypatch.setattr(compiler, "compile_loop", lambda loop, *_: given[0])
    return given


def test_strict(found: list[Any]) -> None:
    @fastnp.jit(strict=True)
    def f(n: Any) -> Any:
        k = 5
        for k in n:
            k += 1
        return k

    line = inspect.getsourcelines(f)[1] + 3
    found.append(Refusal(line, "too cold"))
    with pytest.raises(fastnp.LoopError, match=f"test_jit.py:{line}: .* not compiled: too cold"):
        f(range(3))
    with pytest.raises(fastnp.LoopError, match="neither a range nor a sequence"):
        f(map(str, [1]))
    found[0] = Known(0)
    with pytest.raises(fastnp.LoopError, match=f"test_jit.py:{line}: .* left: too hot") as caught:
        f(range(3))
    assert [entry.lineno for entry in traceback.extract_tb(caught.value.__traceback__)][1:] == [
        line
    ]
    found[0] = Known(DONE)
    assert issubclass(fastnp.LoopError, RuntimeError)


def test_explain(found: list[Any]) -> None:
    @fastnp.jit
    def f(n: int) -> None:
        for _ in range(n):
            pass
        for _ in map(str, [1]):
            pass
        for _ in [1, 2]:
            return

    line = inspect.getsourcelines(f)[1]
    found.append(Known(DONE))
    f(3)
    text = fastnp.explain(f)
    assert f"line {line + 2}: compiled: 0 turns in 1 runs" in text
    assert "types: n: int" in text
    assert "    some code" in text
    assert f"line {line + 4}: not compiled: iterates over neither a range" in text
    assert "loops that fastnp compiles" in fastnp.explain(test_strict)
    assert fastnp.explain(fastnp.ones(3) + 1)


def test_arrays_are_deferred_after_loops() -> None:
    """Loops that now and then work on an array leave its operations deferred, and stay compiled,
    however much time their runs take together.
    """

    @fastnp.jit
    def fill(a: Any, k: float) -> None:
        for i in range(1, a.shape[0]):
            a[i] = a[i - 1] * 0.5 + k

    a, b = fastnp.random.rand(40_000), fastnp.ones(40_000)
    for k in range(40):
        fill(a, float(k))
        c = fastnp.sqrt(a * a + b) - a
        assert fastnp.explain().startswith("pending: 4 nodes"), k
        assert float(c[0]) != 0
    assert "not compiled" not in fastnp.explain(fill)


def test_the_setting_gives_the_function_itself() -> None:
    def f() -> None:
        """Nothing."""

    with fastnp.settings(loops=0):
        assert fastnp.jit(f) is f
        assert total(4) == 6


def test_what_is_no_function_is_refused() -> None:
    for bad in (print, 3, Counter):
        with pytest.raises(TypeError, match="jit takes a function"):
            fastnp.jit(bad)  # type: ignore[type-var]
    variables: dict[str, Any] = {}
    exec("def f():\n    pass", variables)
    with pytest.raises(OSError, match="needs the source of f"):
        fastnp.jit(variables["f"])
