"""What floating-point errors do: NumPy's warnings, errors, calls and log lines.

Every ufunc computes every special value (and every pair of them) under NumPy and under fastnp,
eagerly and recorded. Differences between NumPy's processor-specific code and IEEE 754 are listed
below.
"""

from __future__ import annotations

import asyncio
import itertools
import threading
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import fastnp
import numpy
import pytest

from tests.compare import UFUNCS

MODES = ["warn", "raise", "call", "log", "print", "ignore"]

# Functions whose underflow flag in NumPy depends on the processor.
UNDERFLOW_VARIES = {"sin", "cos", "tan", "exp", "exp2", "expm1", "power", "float_power", "arctan2"}
if not import_module("numpy._core._multiarray_umath").__cpu_features__["AVX512_SKX"]:
    # Here NumPy calls the C library, which raises the flag for subnormal arguments of these.
    UNDERFLOW_VARIES |= {"arcsin", "arcsinh", "arctan", "arctanh", "log1p", "sinh"}
# Single cases: infinite powers, and complex lengths, signs and quotients at the ends of the range.
INFINITE_POWERS = {"power", "float_power"}
COMPLEX_OWN = {"absolute", "sign", "divide"}


class Lines:
    """A log as `errstate(call=...)` takes one."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, text: str) -> None:
        self.lines.append(text)


def specials(dtype: str) -> list[Any]:
    if dtype == "complex128":
        parts = [0.0, -0.0, -1.0, 2.0, 1e300, 1e-310, numpy.inf, numpy.nan]
        return [complex(x, y) for x in parts for y in parts]
    info = numpy.finfo(dtype)
    limits = [float(info.max), float(info.tiny), float(info.smallest_subnormal)]
    values = [0.0, 1.0, 2.5, 1000.0, *limits, numpy.inf]
    return [sign * value for value in values for sign in (1, -1)] + [numpy.nan]


def outcome(np: Any, name: str, args: tuple[Any, ...], dtype: str, n: int) -> list[str]:
    """The lines that a call logs."""
    log = Lines()
    with np.errstate(all="log", call=log):
        arrays = [np.array(numpy.full(n, x, dtype)) for x in args]
        result = getattr(np, name)(*arrays)
        for part in result if isinstance(result, tuple) else (result,):
            numpy.asarray(part)
    return log.lines


def expected(name: str, args: tuple[Any, ...], lines: list[str]) -> set[str]:
    """The lines that must agree."""
    if name in UNDERFLOW_VARIES or (name in COMPLEX_OWN and isinstance(args[0], complex)):
        lines = [line for line in lines if "underflow" not in line]
    if isinstance(args[0], complex) and (name in COMPLEX_OWN or any(x != x for x in args)):
        # The flags of a nan part depend on the comparisons that the compiler chose.
        lines = [line for line in lines if "divide by zero" in line]
    return set(lines)


def differences(name: str, dtype: str, n: int) -> list[str]:
    found = []
    for args in itertools.product(specials(dtype), repeat=getattr(numpy, name).nin):
        if name in INFINITE_POWERS and numpy.isinf(args).any():
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            theirs = expected(name, args, outcome(numpy, name, args, dtype, n))
            ours = expected(name, args, outcome(fastnp, name, args, dtype, n))
        if ours != theirs:
            found.append(f"{name}{args} {dtype}: {sorted(ours)} instead of {sorted(theirs)}")
    return found


def has_loop(name: str, dtype: str) -> bool:
    function = getattr(numpy, name)
    loop = numpy.dtype(dtype).char * function.nin + "->"
    return any(t.startswith(loop) for t in function.types)


@pytest.fixture(params=["at once", "recorded"])
def tiny(request: pytest.FixtureRequest) -> Iterator[str]:
    with fastnp.settings(tiny=1024 if request.param == "at once" else 0):
        yield request.param


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("name", UFUNCS)
def test_every_ufunc_raises_numpys_flags(name: str, dtype: str, tiny: str) -> None:
    if not has_loop(name, dtype):
        pytest.skip("no such loop")
    found = differences(name, dtype, 3)
    assert not found, "\n".join([f"{len(found)} differ", *found[:10]])


@pytest.mark.parametrize("n", [40, 5000])
def test_ignored_flags_hide_no_others(n: int, tiny: str) -> None:
    def warned(np: Any, state: dict[str, Any]) -> list[str]:
        x = np.array([1e3] * n + [1.0] * n + [-1e3] * n)
        with warnings.catch_warnings(record=True) as caught, numpy.errstate(**state):
            warnings.simplefilter("always")
            values = numpy.asarray(np.exp(-x) * 2.0)
            assert values[0] == 0.0 and values[-1] == numpy.inf
            numpy.asarray(x * 1e-308 * 1e-10)
        return sorted({str(w.message) for w in caught})

    states: list[dict[str, Any]] = [
        {},
        {"under": "warn"},
        {},
        {"all": "ignore"},
        {"over": "ignore"},
    ]
    for state in [*states, {"over": "ignore", "under": "warn"}, {"all": "warn"}, {}]:
        assert warned(fastnp, state) == warned(numpy, state), state


def cases() -> dict[str, Callable[[Any], Any]]:
    """A program for each kind of flag, and for the ways in which it comes about."""
    big, one, zero = [1e300] * 40, [1.0] * 40, [0.0] * 40
    return {
        "divide": lambda np: np.array(one) / np.array(zero),
        "over": lambda np: np.array(big) * np.array(big),
        "invalid": lambda np: np.sqrt(-np.array(one)),
        "under": lambda np: np.array([1e-300] * 40) * 1e-300,
        "two at once": lambda np: np.array([*one, *zero]) / np.array([*zero, *zero]),
        "two operations": lambda np: np.log(np.array(zero)) + np.exp(np.array(big)),
        "integers by zero": lambda np: np.array([1, 2, 3]) // np.array([0, 1, 2]),
        "the least one by -1": lambda np: np.array([-(2**31)] * 3, "i4") // np.array([-1], "i4"),
        "a sum": lambda np: np.array(big).sum() * 0 + (np.array([1e308] * 40).sum()),
        "a running product": lambda np: np.array(big).cumprod(),
        "a cast to integers": lambda np: np.array([numpy.nan] * 40).astype("i8"),
        "a cast to halves": lambda np: np.array(big).astype("f2"),
        "an inner product": lambda np: np.dot(np.array(big), np.array(big)),
        "a matrix product": lambda np: np.array([big, big]) @ np.array([big, big]).T,
        "a product of matrix and vector": lambda np: np.dot(np.array([big, big]), np.array(big)),
        "in place": lambda np: np.array(one).__itruediv__(np.array(zero)),
        "angles": lambda np: np.degrees(np.array([1.7e308] * 40)),
        "nothing": lambda np: np.array(one) / np.array(one),
        "nan from nan": lambda np: np.sqrt(np.array([numpy.nan] * 40)) + numpy.inf,
    }  # fmt: skip


def effects(np: Any, program: Callable[[Any], Any], mode: str, capfd: Any) -> list[Any]:
    """All a program does under a mode: its warnings, error, calls, lines."""
    seen: list[Any] = []

    class Handler(Lines):
        def __call__(self, *args: Any) -> None:
            seen.append(args)

        def write(self, text: str) -> None:
            seen.append(text)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with np.errstate(all=mode, call=Handler()):
            try:
                numpy.asarray(program(np)).tolist()
            except FloatingPointError as error:
                seen.append(repr(error))
    # In what order fused operations warn is theirs to choose.
    seen += sorted((str(w.message), w.category.__name__) for w in caught)
    # Methods of NumPy's that are written in Python warn from their own lines.
    assert np is numpy or {w.filename for w in caught} <= {__file__}
    out, err = capfd.readouterr()
    return [*seen, out, *sorted(err.splitlines())]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", cases())
def test_every_mode_does_what_numpys_does(name: str, mode: str, tiny: str, capfd: Any) -> None:
    program = cases()[name]
    assert effects(fastnp, program, mode, capfd) == effects(numpy, program, mode, capfd)


def texts(np: Any, program: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        program()
        if np is fastnp:
            fastnp.flush()
    return [str(w.message) for w in caught]


def both(program: Callable[[Any], Any]) -> None:
    assert program(fastnp) == program(numpy)


N = 5000


def test_the_state_at_recording_holds() -> None:
    x, zero = fastnp.ones(N), fastnp.zeros(N)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with numpy.errstate(divide="ignore"):
            quiet = x / zero
        loud = fastnp.log(zero)
        assert quiet[0] == -loud[0] == numpy.inf
    assert [str(w.message) for w in caught] == ["divide by zero encountered in log"]


def test_numpys_own_errstate_counts() -> None:
    x, zero = fastnp.ones(N), fastnp.zeros(N)
    with numpy.errstate(divide="raise"), pytest.raises(FloatingPointError, match="in divide"):
        x / zero
    before = numpy.seterr(divide="ignore")
    try:
        assert texts(fastnp, lambda: x / zero) == []
    finally:
        fastnp.seterr(**before)


def test_threads_have_their_own_state() -> None:
    def program(np: Any) -> list[Any]:
        x, zero = np.ones(N), np.zeros(N)
        seen: list[Any] = []

        def thread() -> None:
            seen.append(np.geterr()["divide"])
            try:
                numpy.asarray(x / zero)
                seen.append("quiet")
            except FloatingPointError as error:
                seen.append(str(error))

        with np.errstate(divide="raise"):
            other = threading.Thread(target=thread)
            with np.errstate(divide="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                other.start()
                other.join()
            thread()
        return seen

    both(program)


def test_tasks_have_their_own_state() -> None:
    def program(np: Any) -> list[Any]:
        x, zero = np.ones(N), np.zeros(N)
        seen: list[Any] = []

        async def task(mode: str) -> None:
            with np.errstate(divide=mode):
                for _ in range(3):
                    await asyncio.sleep(0)
                    try:
                        numpy.asarray(x / zero)
                        seen.append((mode, "quiet"))
                    except FloatingPointError as error:
                        seen.append((mode, str(error)))

        async def main() -> None:
            await asyncio.gather(task("raise"), task("ignore"), task("raise"))

        asyncio.run(main())
        return seen

    both(program)


def test_nested_and_decorating() -> None:
    def program(np: Any) -> list[Any]:
        x, zero = np.ones(N), np.zeros(N)
        seen: list[Any] = []

        @np.errstate(divide="ignore")  # type: ignore[untyped-decorator]
        def quietly() -> Any:
            return numpy.asarray(x / zero)[0]

        with np.errstate(divide="raise"):
            seen.append(quietly())
            with np.errstate(all="ignore"):
                seen.append(numpy.asarray(zero / zero)[0] != 0)
            try:
                x / zero
            except FloatingPointError as error:
                seen.append(str(error))
            seen.append(np.geterr())
        return seen

    both(program)


def test_callbacks() -> None:
    def program(np: Any) -> list[Any]:
        x, zero = np.array([1.0, 0.0, 1e308]), np.array([0.0, 0.0, 1e-308])
        seen: list[Any] = []
        before = np.seterrcall(lambda *args: seen.append(args))
        try:
            with np.errstate(all="call"):
                x / zero
                np.sqrt(-x)
            seen.append(np.geterrcall() is not None)
        finally:
            np.seterrcall(before)
        with np.errstate(all="call", call=None), pytest.raises(NameError) as caught:
            x / zero
        seen.append(str(caught.value))
        with np.errstate(all="log"), pytest.raises(NameError) as caught:
            x / zero
        seen.append(str(caught.value))
        return seen

    both(program)


def test_an_error_out_of_a_handler_is_the_users() -> None:
    def handler(*_: Any) -> None:
        raise KeyError("mine")

    with fastnp.errstate(divide="call", call=handler), pytest.raises(KeyError, match="mine"):
        fastnp.ones(N) / fastnp.zeros(N)


def test_warnings_point_at_the_users_line(tiny: str) -> None:
    x, zero = fastnp.ones(40), fastnp.zeros(40)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        line = here(numpy.asarray(x / zero).tolist())
    assert [(w.filename, w.lineno) for w in caught] == [(__file__, line)]


def here(_: Any) -> int:
    import sys

    return sys._getframe(1).f_lineno


@pytest.mark.parametrize("n", [1, 2, 3, 7, 9, 31, 33, 1023, 1025, 5001])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_nothing_spurious(n: int, dtype: str, tiny: str) -> None:
    """Lanes beyond the end, or left out by a mask, raise nothing."""
    with fastnp.errstate(all="raise"), numpy.errstate(all="ignore"):
        x = fastnp.array((numpy.arange(n) % 7 + 1).astype(dtype))
        for name in ("divide", "power", "multiply", "add"):
            numpy.asarray(getattr(fastnp, name)(x, x))
        for name in ("reciprocal", "sqrt", "exp", "log", "sin", "tanh", "arctan", "square"):
            numpy.asarray(getattr(fastnp, name)(x))
        assert numpy.isfinite(numpy.asarray(x.sum() + x.mean() + (1 / x).prod()))


@pytest.mark.parametrize("fold", ["cumsum", "sum", "prod", "max"])
@pytest.mark.parametrize("function", ["fmax", "fmin", "maximum", "copysign"])
def test_folds_answer_for_nothing_but_themselves(fold: str, function: str) -> None:
    """Comparisons of a nan raise a flag that is not reported, and is not the fold's either."""
    x = fastnp.array(numpy.where(numpy.arange(5000) % 7, 0.5, numpy.nan))
    rows = fastnp.array(numpy.where(numpy.arange(5200) % 7, 0.5, numpy.nan).reshape(65, 80))
    with numpy.errstate(all="raise"):
        getattr(getattr(fastnp, function)(x + 0.5, 1.0), fold)().__array__()
        for axis in (0, 1):
            folded = getattr(getattr(fastnp, function)(rows + 0.5, 1.0), fold)(axis)
            numpy.asarray(fastnp.maximum(folded, 1.0))


def test_dead_values_warn_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with fastnp.settings(tiny=0):
            x = fastnp.ones(N)
            x / fastnp.zeros(N)
            fastnp.flush()
