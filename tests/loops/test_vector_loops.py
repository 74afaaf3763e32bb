"""Functions with loops under `vectorize`, as loops of kernels: NumPy's values, warnings and errors,
in one kernel with their neighbours.
"""

from __future__ import annotations

import math
import random
import subprocess
import sys
import textwrap
from collections.abc import Callable
from typing import Any

import fastnp as np
import numpy
import pytest
from fastnp._loops import elementwise

from tests.loops.escape_times import escape_time, mandelbrot
from tests.loops.test_vectorize import outcome, same


@pytest.fixture(autouse=True)
def compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elementwise, "COMPILE_AFTER", 0.0)


def root(a: float, start: float) -> float:
    x = start
    while abs(x * x - a) > 1e-12 * a:
        x = 0.5 * (x + a / x)
    return x


def with_break(a: float, b: float) -> tuple[float, int]:
    total = 0.0
    count = 0
    for i in range(20):
        if i % 3 == 1:
            continue
        total = total + a * b
        if total > 5.0:
            count = i
            break
    return total, count


def with_else(a: float, b: float) -> float:
    for i in range(5):
        a = a + b * i
        if a > 3.0:
            break
    else:
        return -a
    return a


def two_loops(a: float, b: float) -> float:
    while a > 1.0:
        a = a * 0.5
    for _ in range(3):
        b = b * a + 1.0
    return a + b


def in_a_branch(a: float, b: float) -> float:
    if a > b:
        while a > b:
            a = a - 0.75
    return a


def collatz(a: int, b: int) -> int:
    count = 0
    while a > 1:
        a = a // 2 if a % 2 == 0 else 3 * a + 1
        count += 1
    return count + b


def greatest_common_divisor(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a


def flags(a: float, b: float) -> bool:
    seen = False
    while a < 10.0:
        a = a + 1.0
        if a > b:
            seen = not seen
    return seen


def counted_back(a: float, b: float) -> float:
    for i in range(10, 0, -2):
        a = a / i + b
    return a


FLOATS = [
    mandelbrot,
    escape_time,
    root,
    with_break,
    with_else,
    two_loops,
    in_a_branch,
    flags,
    counted_back,
]
INTEGERS = [collatz, greatest_common_divisor]


def array_functions(function: Any) -> list[Any]:
    return list(function._element_loop.array_functions.values())


@pytest.mark.parametrize("function", FLOATS, ids=lambda f: f.__name__)
def test_values(function: Callable[..., Any]) -> None:
    rng = numpy.random.default_rng(3)
    for shape in [(1,), (7,), (3, 50), (2000,)]:
        a, b = rng.uniform(0.1, 4.0, shape), rng.uniform(0.1, 1.5, shape)
        for x, y in [
            (a, b),
            (a[::-1], b),
            (a.T, b.T),
            (a[..., ::2], b[..., ::2]),
            (a, 0.5),
            (2.0, b),
        ]:
            ours = np.vectorize(function)
            same(ours(x, y), numpy.vectorize(function)(x, y))
            assert all(array_functions(ours))


@pytest.mark.parametrize("function", INTEGERS, ids=lambda f: f.__name__)
def test_values_of_integers(function: Callable[..., Any]) -> None:
    rng = numpy.random.default_rng(4)
    for char in "bhil":
        a, b = (rng.integers(1, 100, 300).astype(char) for _ in range(2))
        ours = np.vectorize(function, otypes=[int])
        same(ours(a, b), numpy.vectorize(function, otypes=[int])(a, b))
        assert all(array_functions(ours))


@pytest.mark.parametrize("backend", ["", "x86-avx2", "portable", "portable-avx2"])
def test_every_backend(backend: str) -> None:
    program = """
        import numpy, fastnp as np
        from tests.loops import test_vector_loops as loops
        rng = numpy.random.default_rng(5)
        a, b = rng.uniform(0.1, 4.0, 3001), rng.uniform(0.1, 1.5, 3001)
        for function in loops.FLOATS:
            np.vectorize(function)(a, b)
            loops.same(np.vectorize(function)(a, b), numpy.vectorize(function)(a, b))
        print("done")
    """
    assert run(program, FASTNP_BACKEND=backend) == "done"


def run(program: str, **environment: str) -> str:
    """What a program prints."""
    import os

    made = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert made.returncode == 0, made.stderr
    return made.stdout.strip()


def test_a_loop_fuses_with_its_neighbours() -> None:
    function = np.vectorize(escape_time)
    a, b = np.linspace(-3, 3, 50_000), np.linspace(0.1, 1, 50_000)
    function(a, b)
    np.flush()
    before = np.stats()
    y = np.sqrt(function(np.sin(a), b * 2) + 1.0)
    assert np.stats()["flushes"] == before["flushes"]
    np.flush()
    assert np.stats()["kernels_launched"] - before["kernels_launched"] == 1
    a, b = numpy.linspace(-3, 3, 50_000), numpy.linspace(0.1, 1, 50_000)
    want = numpy.sqrt(numpy.vectorize(escape_time)(numpy.sin(a), b * 2) + 1.0)
    # The sines may differ in a last bit, after which a point may take another turn.
    assert numpy.mean(numpy.asarray(y) != want) < 1e-3


def test_results_of_one_call_are_one_loop() -> None:
    function = np.vectorize(lambda a, b: two_results(a, b))
    a, b = np.linspace(0.1, 3, 5_000), np.linspace(0.1, 1, 5_000)
    function(a, b)
    np.flush()
    before = np.stats()["kernels_launched"]
    x, n = function(a, b)
    z = x + n
    assert str(np.explain(z)).count(" = loop(v") == 1
    np.flush()
    assert np.stats()["kernels_launched"] - before == 1


def two_results(a: float, b: float) -> tuple[float, int]:
    n = 0
    while a > b and n < 1000:
        a = a * 0.75
        n += 1
    return a, n


def test_what_python_would_raise() -> None:
    x = numpy.array([4.0, 2.0, 0.0, 9.0])
    with pytest.raises(ZeroDivisionError, match="float division by zero"):
        np.vectorize(root)(x, x - 2.0)
    ours, numpys = np.vectorize(root), numpy.vectorize(root)
    same(ours(x[:2], 1.0), numpys(x[:2], 1.0))
    assert all(array_functions(ours))

    def grown(n: int) -> int:
        for _ in range(70):
            n = n * 2
        return n

    small = numpy.array([0, 0, 0])
    ours = np.vectorize(grown)
    same(ours(small), numpy.vectorize(grown)(small))
    for vectorize in (np.vectorize, numpy.vectorize):
        with pytest.raises(OverflowError, match="too large"):
            vectorize(grown)(numpy.array([0, 1, 0]))


def test_flags_are_those_of_turns_that_are_made() -> None:
    def squared(x: float) -> float:
        while 1.5 < x < 1e160:
            x = x * x
        return x

    def reciprocals(x: float) -> float:
        total = 0.0
        for i in range(8):
            if x > i:
                total = total + 1e300 * x
        return total

    # NumPy's first call is with scalars of its own, which would warn under another name.
    x = numpy.array([0.25, 1e305, 1e308, 0.5e154, 3.0, math.inf])
    for function in (squared, reciprocals):
        for n in range(1, len(x) + 1):
            assert outcome(np.vectorize, function, x[:n]) == outcome(
                numpy.vectorize, function, x[:n]
            )


@pytest.mark.parametrize("threads", ["1", "4"])
def test_an_interrupt_stops_a_loop(threads: str) -> None:
    program = """
        import os, signal, threading, time
        import numpy, fastnp as np
        from fastnp._loops import elementwise
        elementwise.COMPILE_AFTER = 0.0

        def endless(x):
            while x != 1.0:
                x = -x
            return x

        function = np.vectorize(endless)
        numpy.asarray(function(np.ones(5000)))
        x = np.ones(5000)
        x[4999] = 2.0
        signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        started = time.perf_counter()
        try:
            y = function(x)
            np.flush()
            print("ran to its end")
        except KeyboardInterrupt:
            print(time.perf_counter() - started < 1.0)
    """
    assert run(program, FASTNP_NUM_THREADS=threads) == "True"


def random_function(rng: random.Random) -> str:
    """The source of a function of two numbers with a loop, which ends."""

    def value(depth: int) -> str:
        if depth == 0:
            return rng.choice(["x", "y", "z", "n", "0.5", "2", "-1.0"])
        a, b = value(depth - 1), value(depth - 1)
        match rng.randrange(6):
            case 0:
                return f"({a} if {condition()} else {b})"
            case 1:
                return f"{rng.choice(['min', 'max'])}({a}, {b})"
            case 2:
                return f"{rng.choice(['abs', '-'])}({a})"
            case 3:
                return f"({a} / ({b} * {b} + 1))"
        return f"({a} {rng.choice('+-*')} {b})"

    def condition() -> str:
        test = f"{value(0)} {rng.choice(['<', '<=', '>', '>=', '!='])} {value(0)}"
        return rng.choice([test, f"({test} and {value(0)} > 0)", f"not {test}"])

    def statement() -> list[str]:
        name = rng.choice("xyz")
        match rng.randrange(5):
            case 0:
                return [f"if {condition()}:", f"    {name} = {value(1)}"]
            case 1:
                return [f"if {condition()}:", f"    {rng.choice(['break', 'continue'])}"]
            case 2 if rng.randrange(3) == 0:
                return [f"if {condition()}:", f"    return {value(1)}"]
        return [f"{name} = 0.5 * {value(2)}"]

    body = [line for _ in range(rng.randrange(1, 5)) for line in statement()]
    if rng.randrange(2):
        head, first = f"for n in range({rng.randrange(1, 9)}):", []
    else:
        head, first = f"while n < 9 and {condition()}:", ["n += 1"]
    lines = ["z = 1.5", "n = 0", head, *(f"    {line}" for line in first + body)]
    lines.append(f"return {value(1)} + 0.0")
    return "\n".join(["def f(x, y):", *(f"    {line}" for line in lines), ""])


def test_random_functions() -> None:
    import linecache

    rng, converted = random.Random(11), 0
    a = numpy.array([0.5, -2.0, 3.0, 0.0, 1.0, -0.0, 7.25, 100.0, 1e-3])
    x, y = a.reshape(-1, 1), a[::-1][:5]
    for number in range(150):
        source = random_function(rng)
        name = f"<random {number}>"
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        scope: dict[str, Any] = {}
        exec(compile(source, name, "exec"), scope)
        have: Any = outcome(np.vectorize, scope["f"], x, y)
        assert have == outcome(numpy.vectorize, scope["f"], x, y), source
        ours = np.vectorize(scope["f"])
        try:
            ours(x, y)
        except Exception:
            continue
        converted += any(f and f.loops for f in array_functions(ours))
    assert converted > 50
