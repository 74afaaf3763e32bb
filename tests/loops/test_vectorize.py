"""`vectorize`: the values, types, layouts, warnings and errors of NumPy's, compiled or not."""

from __future__ import annotations

import linecache
import math
import pickle
import random
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastnp as np
import numpy
import pytest
from fastnp._loops import elementwise
from fastnp._loops.compiler import Compiled
from fastnp._loops.outcome import Refusal

SCALE = 3.0


def step(x: float, n: int = 4) -> float:
    for _ in range(n):
        x = x * 0.5 + 1.0
        if x > 1e300:
            return math.inf
    return x


def in_a_loop(x: float) -> float:
    for _ in range(2):
        for _ in range(2):
            x = x * 0.5 + 1.0
    return x


def first_or_second(x: float, y: float) -> float:
    return x if x > y else y - x


def two_types(x: float) -> float:
    return x * 2 if x > 0 else 0


def two_results(x: float) -> tuple[float, int]:
    return x * SCALE, x > 0


def with_ufunc(x: float) -> float:
    return np.sin(x) + numpy.float64(1.0)


def collatz(n: int) -> int:
    count = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count


def reciprocal(x: float) -> float:
    return 1.0 / x


def closure(a: float) -> Callable[[float], float]:
    return lambda x: a * x + (1 if x > a else 2)


def with_inner(x: float) -> float:
    def line(y: float, k: float = x) -> float:
        return k * y + x

    return line(x) - (lambda y: line(y, 2))(1)


ONE = [step, two_types, two_results, with_ufunc, collatz, closure(0.5), lambda x: abs(x) - 2]
ONE += [with_inner]


@pytest.fixture(autouse=True)
def compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elementwise, "COMPILE_AFTER", 0.0)


def same(have: Any, want: Any) -> None:
    if isinstance(want, tuple):
        assert isinstance(have, tuple)
        for a, b in zip(have, want, strict=True):
            same(a, b)
        return
    assert type(have) is np.ndarray
    assert (have.dtype, have.shape, have.strides) == (want.dtype, want.shape, want.strides)
    assert numpy.array_equal(numpy.asarray(have), want, equal_nan=want.dtype.kind == "f")


def refusals(function: Any) -> list[str]:
    found = function._element_loop.versions.values()
    return [version.reason for version in found if isinstance(version, Refusal)]


def inputs(char: str) -> list[numpy.ndarray]:
    rng = numpy.random.default_rng(7)
    x = rng.integers(0, 2 if char == "?" else 90, (6, 10)).astype(char)
    return [
        x.ravel(),
        x,
        x.T,
        numpy.asfortranarray(x),
        x[::2, ::-3],
        x[:, :1],
        x[::-1],
        numpy.broadcast_to(x[0], (3, 10)),
    ]


@pytest.mark.parametrize("char", "?bBhHiIlqfd")
@pytest.mark.parametrize("function", ONE, ids=lambda f: f.__name__)
def test_values_of_one_argument(function: Any, char: str) -> None:
    ours, numpys = np.vectorize(function), numpy.vectorize(function)
    for x in inputs(char):
        try:
            want = numpys(x)
        except OverflowError as error:
            # NumPy calls the function with the first element as a scalar of its own.
            with pytest.raises(OverflowError, match=str(error)):
                ours(x)
            continue
        same(ours(np.asarray(x)), want)
        same(ours(x), want)
    # The sine of a truth value is of float16, which is not compiled, nor is its magnitude.
    assert char == "?" or not refusals(ours)


@pytest.mark.parametrize("otypes", ["d", "l", "f", "?", "i", [float], [numpy.int16]])
def test_types_that_are_given(otypes: Any) -> None:
    x = numpy.linspace(-3, 3, 50)
    for function in (step, two_types, first_or_second):
        more = (0.5,) if function is first_or_second else ()
        ours = np.vectorize(function, otypes=otypes)
        same(ours(np.asarray(x), *more), numpy.vectorize(function, otypes=otypes)(x, *more))
        assert not refusals(ours)


def test_arguments_broadcast() -> None:
    ours, numpys = np.vectorize(first_or_second), numpy.vectorize(first_or_second)
    x, y = numpy.linspace(-1, 1, 7), numpy.linspace(-2, 2, 5)[:, None]
    for a, b in [(x, y), (y, x), (x, 0.25), (3, y), (x, x[::-1]), ([1, 2], 1.5), (y.T, y)]:
        ours_of = [np.asarray(v) if isinstance(v, numpy.ndarray) else v for v in (a, b)]
        same(ours(*ours_of), numpys(a, b))
    assert not refusals(ours)


def test_many_elements_on_several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elementwise, "SHARED_FROM", 0.0)
    x = numpy.linspace(-3, 3, 100_000)
    ours, tasks = np.vectorize(in_a_loop), []
    run = Compiled.run_tasks

    def counted(loop: Any, names: Any, turns: range, number: int) -> Any:
        tasks.append(number)
        return run(loop, names, turns, number)

    monkeypatch.setattr(Compiled, "run_tasks", counted)
    same(ours(x), numpy.vectorize(in_a_loop)(x))
    assert max(tasks) > 1


def test_errors_are_pythons() -> None:
    x = numpy.array([1.0, 2.0, 0.0, 4.0])
    ours = np.vectorize(reciprocal)
    same(ours(x[:2]), numpy.vectorize(reciprocal)(x[:2]))
    with pytest.raises(ZeroDivisionError, match="float division by zero"):
        ours(x)
    with pytest.raises(ValueError, match="math domain error"):
        np.vectorize(lambda x: math.sqrt(x))(-x)
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        np.vectorize(first_or_second)(x)
    with pytest.raises(ValueError, match="broadcast"):
        np.vectorize(first_or_second)(x, x[:3])
    with pytest.raises(ValueError, match="size 0"):
        ours(x[:0])


def test_integers_of_more_than_64_bits() -> None:
    x = numpy.array([2, 10**6, 10**18])
    square = np.vectorize(lambda x: x * x)
    with pytest.raises(OverflowError, match="too large"):
        square(x)
    with pytest.raises(OverflowError, match="too large"):
        numpy.vectorize(lambda x: x * x)(x)


def test_warnings_are_numpys() -> None:
    x = numpy.array([1.0, 2.0, -1.0])
    told = []
    for vectorize in (numpy.vectorize, np.vectorize):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            vectorize(lambda x: numpy.log(x))(x)
        told.append([(str(w.message), w.category) for w in caught])
    # NumPy tells of the last element a second time, as its scalars leave the flags.
    again = ("invalid value encountered in <lambda> (vectorized)", RuntimeWarning)
    assert told[0] == [("invalid value encountered in log", RuntimeWarning), again]
    assert told[1] == told[0][:1]


@pytest.mark.parametrize("char", "BhI")
def test_warnings_of_the_first_call(char: str) -> None:
    """NumPy makes it with scalars of its own, which wrap."""
    x = numpy.array([100, 7, 9, 1], char)
    y = numpy.array([numpy.iinfo(char).max, 2, 3, 4], char)

    def sums(a: int, b: int) -> float:
        return 0.5 if a + b > 9 else 1.5

    for a, b in ((x, y), (y, x), (x[1:], y[1:])):
        assert outcome(np.vectorize, sums, a, b) == outcome(numpy.vectorize, sums, a, b)


def test_what_a_function_finds_outside_may_change() -> None:
    global SCALE
    x = numpy.arange(4.0)
    ours, numpys = np.vectorize(two_results), numpy.vectorize(two_results)
    try:
        for value in (1.0, 2.5, 7, 2.5):
            SCALE = value
            same(ours(x), numpys(x))
    finally:
        SCALE = 3.0
    cell = 1.0

    def shifted(x: float) -> float:
        return x + cell

    ours, numpys = np.vectorize(shifted), numpy.vectorize(shifted)
    for value in (2.0, 3.0):
        cell = value
        same(ours(x), numpys(x))


def test_functions_with_effects_are_called_as_by_numpy() -> None:
    calls: list[float] = []

    def noted(x: float) -> float:
        calls.append(x)
        return x

    x = numpy.arange(3.0)
    counts = []
    for vectorize in (numpy.vectorize, np.vectorize):
        calls.clear()
        vectorize(noted)(x)
        counts.append(list(calls))
    assert counts[0] == counts[1]


def test_lambdas_of_one_line() -> None:
    both = (lambda x: x + 1, lambda x: x * 2)
    x = numpy.arange(5.0)
    for function in both:
        same(np.vectorize(function)(x), numpy.vectorize(function)(x))


def test_a_decorated_function_and_a_method() -> None:
    @np.vectorize
    def twice(x: float) -> float:
        return x * 2

    same(twice(numpy.arange(3.0)), numpy.arange(3.0) * 2)
    assert vars(twice)["_element_loop"].array_functions
    copy = pickle.loads(pickle.dumps(np.vectorize(step)))
    same(copy(numpy.arange(3.0)), numpy.vectorize(step)(numpy.arange(3.0)))


def test_off() -> None:
    ours = np.vectorize(step)
    with np.settings(loops=0):
        same(ours(numpy.arange(3.0)), numpy.vectorize(step)(numpy.arange(3.0)))
    assert "_element_loop" not in vars(ours)


def piecewise(x: float) -> float:
    if x > 1.0:
        return x * x + 1
    y = -x if x < 0 else x
    return 0.5 * y


def test_a_function_without_loops_fuses_with_its_neighbours() -> None:
    function = np.vectorize(piecewise)
    x = np.linspace(-3, 3, 100_000)
    function(x)
    np.flush()
    before = np.stats()
    y = np.sqrt(function(np.exp(x)) + 1.0)
    assert np.stats()["flushes"] == before["flushes"]
    np.flush()
    assert np.stats()["kernels_launched"] - before["kernels_launched"] == 1
    want = numpy.sqrt(numpy.vectorize(piecewise)(numpy.exp(numpy.linspace(-3, 3, 100_000))) + 1.0)
    assert numpy.allclose(numpy.asarray(y), want, rtol=1e-14)


def test_a_function_of_indices_fuses() -> None:
    function = np.vectorize(lambda i, j: i * 0.5 if i > j else j - i)
    np.fromfunction(function, (30, 40))
    np.flush()
    before = np.stats()
    made = np.fromfunction(function, (30, 40)) + 1.0
    assert np.stats()["flushes"] == before["flushes"]
    same(made, numpy.fromfunction(numpy.vectorize(function.pyfunc), (30, 40)) + 1.0)


UFUNCS = [
    lambda x: np.exp(-x) * 2 if x > 0 else 1.0,
    lambda x: np.log(x) if x > 0 else 0.0,
    lambda x: numpy.sqrt(x) + np.float64(1.0) if x >= 0 else x,
    lambda x: np.hypot(x, 3) * np.arctan2(x, -0.5),
    lambda x: np.add(2.0, np.multiply(x, np.cbrt(x))),
    lambda x: np.arctanh(x) if abs(x) < 1 else np.maximum(x, 2.0),
    lambda x: 1.0 / np.floor(x) if x >= 1 else np.cosh(x),
]


@pytest.mark.parametrize("number", range(len(UFUNCS)))
def test_ufuncs_of_numbers_fuse(number: int) -> None:
    x = numpy.array([0.5, 1.0, -2.0, 3.0, 0.0, -0.0, 0.25])
    for given in (x, x.astype("f"), x.astype("i")):
        ours: Any = np.vectorize(UFUNCS[number])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            have = numpy.asarray(ours(given))
        want = numpy.vectorize(UFUNCS[number])(given)
        assert have.dtype == want.dtype
        # An elementary function of arrays may have another last bit.
        assert numpy.allclose(have, want, rtol=1e-15 if have.dtype == float else 1e-6, atol=0)
        # Of floats of 32 bits the paths have different types.
        assert given.dtype != float or all(ours._element_loop.array_functions.values())


def test_flags_of_numpys_scalars_have_their_names() -> None:
    cases: list[tuple[Any, list[str]]] = [
        (lambda x: np.exp(x * 1e3), ["overflow encountered in exp"]),
        (lambda x: 1 / np.sin(x - 3.0), ["divide by zero encountered in scalar divide"]),
        (lambda x: np.sqrt(x) * 1e308, ["overflow encountered in scalar multiply"]),
    ]
    x = numpy.array([1.0, 3.0, 1e9, 0.0])
    for function, want in cases:
        for vectorize in (numpy.vectorize, np.vectorize):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                numpy.asarray(vectorize(function)(x))
            assert sorted({str(w.message) for w in caught}) == want


INTEGERS = [
    lambda i: i * 3 + 1,
    lambda i: i % 7 + (i // 3 & 7),
    lambda i: (i >> 1) ^ 5,
    lambda i: abs(i) - min(i, 2) * max(i, -3),
    lambda i: i // 2 if i % 2 == 0 else -3 * i,
    lambda i: ~i if i > 3 else i | 8,
]


@pytest.mark.parametrize("number", range(len(INTEGERS)))
def test_integers_that_fit_fuse(number: int) -> None:
    for char in "bBhi":
        x = numpy.array([0, 1, 5, 100, numpy.iinfo(char).max, numpy.iinfo(char).min], char)
        ours: Any = np.vectorize(INTEGERS[number], otypes=[int])
        same(ours(np.asarray(x)), numpy.vectorize(INTEGERS[number], otypes=[int])(x))
        assert all(ours._element_loop.array_functions.values()), char


def test_flags_of_pythons_own_arithmetic() -> None:
    x = numpy.array([1.0, 1e308, -1e308, math.inf, -math.inf, 0.0, -0.0])

    def large(x: float) -> float:
        return x * 1e10 - x * 2e10 if x != 0 else 1 / (x + 1)

    for n in range(1, len(x)):
        for function in (large, piecewise):
            assert outcome(np.vectorize, function, x[:n]) == outcome(
                numpy.vectorize, function, x[:n]
            )


def random_function(rng: random.Random) -> str:
    """The source of a function of two numbers without loops."""

    def value(depth: int) -> str:
        kind = rng.randrange(10) if depth else rng.randrange(3)
        inner = [value(depth - 1) for _ in range(3)] if kind > 2 else []
        match kind:
            case 0 | 1:
                return rng.choice(["x", "y", "z"])
            case 2:
                return rng.choice(["0", "1", "2", "-3", "0.5", "1e9", "True"])
            case 3 | 4 | 5:
                return f"({inner[0]} {rng.choice('+-*')} {inner[1]})"
            case 6:
                return f"({inner[0]} {rng.choice(['/', '//', '%'])} {rng.choice([inner[1], '3'])})"
            case 7:
                return f"({inner[0]} if {condition(depth - 1)} else {inner[1]})"
            case 8:
                return f"{rng.choice(['abs', '-', 'float', 'int'])}({inner[0]})"
        return f"{rng.choice(['min', 'max'])}({inner[0]}, {inner[1]})"

    def condition(depth: int) -> str:
        test = f"{value(depth)} {rng.choice(['<', '<=', '==', '!=', '>', '>='])} {value(0)}"
        match rng.randrange(5):
            case 0:
                return f"({test} and {value(0)} > 0)"
            case 1:
                return f"not {test}"
        return test

    lines = ["def f(x, y):", f"    z = {value(1)}"]
    for _ in range(rng.randrange(3)):
        lines += [f"    if {condition(1)}:", f"        z = {value(2)}"]
        match rng.randrange(3):
            case 0:
                lines += ["    else:", f"        z = {value(1)}"]
            case 1:
                lines += [f"    elif {condition(0)}:", f"        return {value(1)}"]
    return "\n".join([*lines, f"    return {value(2)}", ""])


def outcome(vectorize: Any, function: Any, *arguments: Any) -> Any:
    """The values, or the error, and what was warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = numpy.asarray(vectorize(function)(*arguments))
            values: Any = (result.dtype, result.shape, result.strides, result.tobytes())
        except Exception as error:
            values = (type(error), str(error))
    return values, sorted((str(w.message), w.category) for w in caught)


@pytest.mark.parametrize("seed", range(60))
def test_random_functions(seed: int) -> None:
    rng = random.Random(seed)
    filename = f"<random function {seed}>"
    source = random_function(rng)
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    scope: dict[str, Any] = {}
    exec(compile(source, filename, "exec"), scope)
    numbers = numpy.array([0.0, -1.5, 2.0, 3.25, 1e9, -0.0, 7.0, 1e300, math.inf, math.nan])
    wholes = numpy.array([0, 1, -1, 5, -7, 10**9, 4 * 10**9, 2**62, 3, 2])
    for x, y in [(numbers, numbers[::-1]), (wholes, 3), (numbers, wholes), (wholes, wholes[::-1])]:
        for first in range(3):
            arguments: list[Any] = [x[first:], y[first:] if isinstance(y, numpy.ndarray) else y]
            want = outcome(numpy.vectorize, scope["f"], *arguments)
            # Python's comparisons of nan may raise a flag, which depends on how it was built.
            have = outcome(np.vectorize, scope["f"], *arguments)
            if want[0] != have[0] or not any(numpy.isnan(z).any() for z in arguments):
                assert have == want, source


AT_EXIT = """
import atexit, numpy, fastnp as np
def slow(x):
    for i in range(20000):
        x = x * 0.5 + 1.0
    return x
f = np.vectorize(slow)
f(numpy.arange(2000.0))
atexit.register(lambda: print(f(numpy.arange(20000.0)).sum()))
"""


def test_at_exit(tmp_path: Path) -> None:
    """The GIL is kept then, and no thread waits for it."""
    program = tmp_path / "program.py"
    program.write_text(AT_EXIT, encoding="utf-8")
    command = [sys.executable, str(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.stderr) == ("40000.0\n", "")
