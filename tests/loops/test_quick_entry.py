"""Entries in few steps: the code's outcome is the interpreter's whatever has changed since."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest
from fastnp import _fastnp
from fastnp._loops.quick_entry import QuickEntry

pytestmark = pytest.mark.skipif(
    not hasattr(_fastnp, "LoopProgram"), reason="this build has no code generator for loops"
)


def scaled(x: Any, y: Any, n: int, a: float) -> Any:
    for i in range(n):
        y[i] = x[i] * a + 3
        last = y[i]
    return i, last


def halved(x: Any, y: Any, n: int, a: float) -> Any:
    k = 0
    while n > 1:
        n //= 2
        k += 1
        y[k] = x[k] / a + abs(n)
    return n, k


def counted(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether entries from now on were made in few steps."""
    made, run = [], QuickEntry.run

    def noted(self: QuickEntry, *arguments: Any) -> Any:
        step = run(self, *arguments)
        made.append(step is not None)
        return step

    monkeypatch.setattr(QuickEntry, "run", noted)
    return made


def outcome(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a call gives, or raises, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = repr(function(*arguments))
        except (ArithmeticError, LookupError, NameError, TypeError) as error:
            found = repr(error)
    return found, [str(one.message) for one in caught]


def numbers(kind: Any = numpy.float64) -> numpy.ndarray:
    return numpy.linspace(1, 2, 20).astype(kind)


CALLS: dict[str, Callable[[], tuple[Any, ...]]] = {
    "the same": lambda: (numbers(), numbers(), 20, 2.5),
    "other numbers": lambda: (numbers() - 4, numbers(), 7, -1.5),
    "no turn": lambda: (numbers(), numbers(), 0, 2.5),
    "arrays of ours": lambda: (fastnp.array(numbers()), fastnp.zeros(20), 20, 2.5),
    "floats": lambda: (numbers(numpy.float32), numbers(), 20, 2.5),
    "an integer": lambda: (numbers(), numbers(), 20, 2),
    "a view": lambda: (numpy.linspace(0, 1, 40)[::2], numbers(), 20, 2.5),
    "shared memory": lambda: (lambda x: (x[:-1], x[1:], 18, 2.5))(numbers()),
    "a list": lambda: ([*map(float, range(20))], numbers(), 20, 2.5),
    "too many turns": lambda: (numbers(), numbers(), 23, 2.5),
    "a result that is too large": lambda: (numbers() * 5e307, numbers(), 20, 1e10),
    "no number": lambda: (numbers(), numbers(), 20, "2.5"),
    "division by zero": lambda: (numbers(), numbers(), 20, 0.0),
}


@pytest.mark.parametrize("function", [scaled, halved])
@pytest.mark.parametrize("name", CALLS)
def test_calls_after_others(
    name: str, function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = fastnp.jit(function)
    for _ in range(3):
        compiled(*CALLS["the same"]())
    made = counted(monkeypatch)
    for again in (name, "the same", name):
        given, plain = CALLS[again](), CALLS[again]()
        assert outcome(compiled, *given) == outcome(function, *plain)
        for one, other in zip(given[:2], plain[:2], strict=True):
            numpy.testing.assert_array_equal(one, other)
    assert any(made)


def test_a_constant_that_is_bound_again(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = fastnp.jit(halved)
    for _ in range(3):
        compiled(*CALLS["the same"]())
    made = counted(monkeypatch)
    monkeypatch.setitem(halved.__globals__, "abs", lambda n: 7 - n)
    given, plain = CALLS["the same"](), CALLS["the same"]()
    assert outcome(compiled, *given) == outcome(halved, *plain)
    assert made[0] is False


def test_what_errstate_says(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = fastnp.jit(scaled)
    for _ in range(3):
        compiled(*CALLS["the same"]())
    made = counted(monkeypatch)
    arrays = numbers(), numbers() * 1e-307, numbers() * 5e307
    said: list[Any] = [{"all": "ignore"}, {"over": "raise"}, {"under": "raise"}]
    for modes in said:
        with numpy.errstate(**modes):
            for x in arrays:
                given, plain = (x, numbers(), 20, 1e-5), (x, numbers(), 20, 1e-5)
                assert outcome(compiled, *given) == outcome(scaled, *plain)
                given, plain = (x, numbers(), 20, 1e5), (x, numbers(), 20, 1e5)
                assert outcome(compiled, *given) == outcome(scaled, *plain)
    assert made[0] is False
    assert any(made)
