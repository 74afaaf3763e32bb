"""fastnp, compared with NumPy, numexpr, Numba and JAX: `python -m benches.rivals [--plot out.svg]`.

Times expressions and the programs of `programs.py` over sizes, each module as its users would call
it: NumPy and fastnp directly, numexpr from the text, Numba with `njit(parallel=True)`, JAX with
`jit` in double precision. Modules that are not installed are left out, and so are programs that a
module does not accept. All run in one process and take turns in both orders; a figure is the median
over the rounds of the time of a call with its result computed.

A cell is NumPy's time over the module's: above 1 it is faster than NumPy. Behind fastnp's is its
share of the bandwidth of a copy: the bytes that the expression has to read and write in its time,
over those of a copy of as much memory in the same run. (Arithmetic may be the limit instead.) Below
are first calls: the time of the first call of an expression in a process, one process for each
module and expression.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy

from benches import panels
from benches.turns import Times, take_turns
from npbench import machine
from npbench.binding import run_source

Call = Callable[[], Any]

SIZES = (1, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
COLD = 100_000
PROGRAMS = Path(__file__).with_name("programs.py")
# Longer calls (in seconds) are made twice, without warm-up.
LONG = 0.15
# The pause before a turn. Threads of a BLAS and of OpenMP spin for up to a tenth of a second after
# their last work, and would take a core from the next module (an inner product of a million doubles
# right after one of OpenBLAS: 510 us, 50 ms after it: 500 us, without it: 280 us).
PAUSE = 0.15


@dataclass(frozen=True)
class Expression:
    """An expression in the vectors x, y and z and integers i, as text for all modules, or the name
    of a program."""

    text: str
    # How many vectors of doubles it has to read and to write.
    reads: int
    writes: int = 1
    # Whether numexpr can express it.
    scalar: bool = True
    program: bool = False
    # The largest size; a call with more elements takes many seconds.
    largest: int = 100_000_000

    def bytes(self, n: int) -> int:
        """Bytes that have to be read and written for vectors of `n`."""
        return 8 * n * (self.reads + self.writes)


CALL = (
    "x * 0.5 * (1.0 + np.tanh(0.797884 * (np.log(x / y) + 0.045 * z)))"
    " - y * np.exp(-0.03 * z) * 0.5 * (1.0 + np.tanh(0.797884 * (np.log(x / y) - 0.045 * z)))"
)
EXPRESSIONS = {
    "x + y": Expression("x + y", 2),
    "x * 2.5 + 1": Expression("x * 2.5 + 1.0", 1),
    "polynomial": Expression("(((0.5 * x + 0.25) * x - 1.5) * x + 2.0) * x - 3.0", 1),
    "distance": Expression("np.sqrt((x - 0.5) ** 2 + (y - 0.5) ** 2 + z * z)", 3),
    "where": Expression("np.where(x < y, x * z, y - z)", 3),
    "exp": Expression("np.exp(x)", 1),
    "sin, cos": Expression("np.sin(x) ** 2 + np.cos(x) ** 2", 1),
    "Gaussian": Expression("np.exp(-0.5 * ((x - y) / z) ** 2) / (z * 2.50662827)", 3),
    "option price": Expression(CALL, 3),
    "chain of ten": Expression(
        "np.maximum(np.sqrt(np.abs((x * 2.0 + 1.0) / 3.0 - 0.5)) + y, 1.0) * x - y + 4.0",
        2,
        scalar=False,
    ),
    "sum": Expression("np.sum(x)", 1, 0, scalar=False),
    "dot": Expression("np.dot(x, y)", 2, 0, scalar=False),
    "sum of squares": Expression("np.sum((x - y) ** 2)", 2, 0, scalar=False),
    "softmax": Expression("np.exp(x - np.max(x)) / np.sum(np.exp(x - np.max(x)))", 1, scalar=False),
    "stencil": Expression("x[:-2] - 2.0 * x[1:-1] + x[2:]", 1, scalar=False),
    "mixed types": Expression("x.astype(np.float32) * i + y", 3, scalar=False),
    "matrix product": Expression(
        "x[: int(x.size**0.5) ** 2].reshape(int(x.size**0.5), int(x.size**0.5))"
        " @ y[: int(x.size**0.5) ** 2].reshape(int(x.size**0.5), int(x.size**0.5))",
        2,
        scalar=False,
        largest=10_000_000,
    ),
}
# How many vectors each of the twenty programs has to read and to write.
EXPRESSIONS |= {
    name: Expression(name, reads, writes, scalar=False, program=True)
    for name, reads, writes in (
        ("circle", 1, 1),
        ("axpy", 2, 1),
        ("arc_distance", 3, 1),
        ("cronbach", 3, 0),
        ("diffusion", 1, 1),
        ("gray_scott", 2, 2),
        ("harris", 1, 1),
        ("hastings_powell", 3, 3),
        ("julia", 2, 0),
        ("l2norm", 3, 1),
        ("local_maxima", 1, 0),
        ("log_likelihood", 1, 0),
        ("least_squares", 2, 0),
        ("masked_mean", 1, 0),
        ("pairwise", 0, 1),
        ("periodic_distance", 3, 1),
        ("rosenbrock", 1, 0),
        ("vibration_energy", 3, 0),
        ("wave", 2, 1),
        ("weighted_distance", 3, 0),
    )
}


def vectors(n: int, dtype: str = "float64") -> dict[str, Any]:
    """The same values for every module; `i` are integers of four bytes."""
    random = numpy.random.default_rng(1)
    values = {name: random.uniform(0.5, 2.0, n).astype(dtype, copy=False) for name in "xyz"}
    return {**values, "i": random.integers(0, 9, n).astype(numpy.int32)}


def with_numpy(expression: Expression, values: dict[str, Any]) -> Call:
    """NumPy, called directly."""
    return _python(numpy, expression, values, lambda result: result)


def with_fastnp(expression: Expression, values: dict[str, Any]) -> Call:
    """fastnp, called directly on its own arrays; pending results are evaluated."""
    fastnp = importlib.import_module("fastnp")
    ours = {name: fastnp.array(value) for name, value in values.items()}
    fastnp.eval(*ours.values())

    def evaluate(result: Any) -> Any:
        fastnp.flush()
        return result

    return _python(fastnp, expression, ours, evaluate)


def with_numexpr(expression: Expression, values: dict[str, Any]) -> Call | None:
    """numexpr from the text, if it can express it."""
    numexpr = importlib.import_module("numexpr")
    if not expression.scalar:
        return None
    text = expression.text.replace("np.", "")
    return lambda: numexpr.evaluate(text, values)


def with_numba(expression: Expression, values: dict[str, Any]) -> Call:
    """Numba on all cores."""
    numba = importlib.import_module("numba")
    return _function(numba.njit(parallel=True), numpy, expression, values, lambda result: result)


def with_jax(expression: Expression, values: dict[str, Any]) -> Call:
    """JAX in double precision."""
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    ours = {name: jax.numpy.asarray(value) for name, value in values.items()}
    return _function(jax.jit, jax.numpy, expression, ours, jax.block_until_ready)


MODULES: dict[str, Callable[[Expression, dict[str, Any]], Call | None]] = {
    "numpy": with_numpy,
    "fastnp": with_fastnp,
    "numexpr": with_numexpr,
    "numba": with_numba,
    "jax": with_jax,
}


def function_of(np: Any, expression: Expression) -> Callable[..., Any]:
    """An expression or a program as a function of the four vectors."""
    if expression.program:
        return run_source(PROGRAMS, np)[expression.text]
    return eval(f"lambda x, y, z, i: {expression.text}", {"np": np})


def _python(np: Any, e: Expression, values: dict[str, Any], evaluate: Callable[[Any], Any]) -> Call:
    function, arguments = function_of(np, e), tuple(values.values())
    return lambda: evaluate(function(*arguments))


def _function(
    compiler: Any, np: Any, e: Expression, values: dict[str, Any], evaluate: Callable[[Any], Any]
) -> Call:
    function, arguments = compiler(function_of(np, e)), tuple(values.values())
    return lambda: evaluate(function(*arguments))


def possible(calls: dict[str, Call | None]) -> dict[str, Call]:
    """The calls that work; NumPy's and fastnp's have to."""
    found: dict[str, Call] = {}
    for module, call in calls.items():
        try:
            if call:
                call()
                found[module] = call
        except Exception as refusal:
            if module in ("numpy", "fastnp"):
                raise
            print(f"{module} does not take it: {str(refusal).strip()[:70]}", file=sys.stderr)
    return found


def seconds(call: Call, calls: int) -> float:
    """Seconds a call, over that many."""
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - start) / calls


def compare(calls: dict[str, Call], rounds: int, budget: float) -> Times:
    """Median seconds of each call; the calls take turns in both orders."""
    counts = {}
    for name, call in calls.items():
        once = seconds(call, 1)
        if once > LONG:
            rounds = 2
        else:
            once = min(once, *(seconds(call, 1) for _ in range(3)))
        counts[name] = max(1, min(100_000, int(budget / rounds / max(once, 1e-7))))

    def after_pause(name: str) -> float:
        time.sleep(min(PAUSE, 2 * budget))
        return seconds(calls[name], counts[name])

    found = take_turns({name: partial(after_pause, name) for name in calls}, rounds)
    return {name: statistics.median(times) for name, times in found.items()}


def bandwidth(moved: int, rounds: int, budget: float) -> float:
    """Bytes a second of a copy that moves `moved` bytes, half of them read and half written."""
    source = numpy.ones(max(1, moved // 16))
    target = numpy.empty_like(source)
    calls = {"copy": lambda: numpy.copyto(target, source)}
    return 2 * source.nbytes / compare(calls, rounds, budget)["copy"]


def cold(module: str, name: str) -> float:
    """Seconds of a first call in a process that has imported the module and made the arrays."""
    command = [sys.executable, "-m", "benches.rivals", "--cold", module, name]
    found = [
        float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for _ in range(3)
    ]
    return statistics.median(found)


def first_call(module: str, name: str) -> float:
    """Seconds of the first call in a new process, after another expression set up the module."""
    values = vectors(COLD)
    for expression in (Expression("x - y", 2), EXPRESSIONS[name]):
        call = MODULES[module](expression, values)
        elapsed = seconds(call, 1) if call else math.nan
    return elapsed


def show(value: float) -> str:
    """A time with a suitable unit."""
    for unit, scale in (("ns", 1e9), ("µs", 1e6), ("ms", 1e3)):
        if value * scale < 1000:
            return f"{value * scale:.3g} {unit}"
    return f"{value:.3g} s"


def table(
    names: list[str], modules: list[str], sizes: list[int], rounds: int, budget: float
) -> dict[str, dict[str, dict[str, float]]]:
    """Measure and print every cell; return the times, and the share of a copy's bandwidth."""
    print(f"{'':16}{'n':>12}{'numpy':>12}" + "".join(f"{m:>12}" for m in modules[1:]))
    copies = {n: bandwidth(24 * n, rounds, budget) for n in sizes}
    found: dict[str, dict[str, dict[str, float]]] = {}
    for name in names:
        found[name] = {}
        for n in (n for n in sizes if n <= EXPRESSIONS[name].largest):
            values = vectors(n)
            calls = possible({m: MODULES[m](EXPRESSIONS[name], values) for m in modules})
            times = compare(calls, rounds, budget)
            share = EXPRESSIONS[name].bytes(n) / times["fastnp"] / copies[n]
            found[name][str(n)] = {**times, "share": share}
            line = f"{name:16}{n:>12,}{show(times['numpy']):>12}"
            for module in modules[1:]:
                ratio = f"{times['numpy'] / times[module]:.2f}" if module in times else "-"
                line += f"{ratio + (f' {share:4.0%}' if module == 'fastnp' else ''):>12}"
            print(line, flush=True)
    return found


def plot(found: dict[str, Any], modules: list[str], path: Path) -> None:
    """NumPy's time over each module's, by size: one panel an expression."""
    lines = {
        name: {
            module: [(int(n), t["numpy"] / t[module]) for n, t in sizes.items() if module in t]
            for module in modules[1:]
            if any(module in t for t in sizes.values())
        }
        for name, sizes in found.items()
    }
    title = "NumPy's time over each module's, by the number of elements"
    path.write_text(
        panels.svg(lines, title, "above the line is faster than NumPy; all axes are logarithmic"),
        encoding="utf-8",
    )


def compact(content: dict[str, Any]) -> str:
    """JSON with an expression a line, and times to three digits; further digits are noise."""

    def rounded(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: rounded(v) for key, v in value.items()}
        return float(f"{value:.3g}") if isinstance(value, float) else value

    sections = []
    for name, rows in content.items():
        lines = (f"  {json.dumps(k)}: {json.dumps(rounded(v))}" for k, v in rows.items())
        sections.append(f" {json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(sections) + "\n}\n"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benches.rivals", description=__doc__)
    parser.add_argument("--json", type=Path, help="write every time to this file")
    parser.add_argument("--plot", type=Path, help="draw the ratios to this file")
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--modules", nargs="*", default=list(MODULES), choices=list(MODULES))
    parser.add_argument("--expressions", nargs="*", default=[""], help="parts of their names")
    parser.add_argument("--rounds", type=int, default=6, help="turns of each module (6)")
    parser.add_argument("--budget", type=float, default=0.1, help="seconds a module and cell (0.1)")
    parser.add_argument("--cold", nargs=2, metavar=("MODULE", "NAME"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.cold:
        print(first_call(*options.cold))
        return
    wished = ["numpy", "fastnp", *(m for m in options.modules if m not in ("numpy", "fastnp"))]
    modules = [m for m in wished if importlib.util.find_spec(m)]
    names = [name for name in EXPRESSIONS if any(part in name for part in options.expressions)]
    found = table(names, modules, options.sizes, options.rounds, options.budget)
    first = {
        name: {m: cold(m, name) for m in modules if EXPRESSIONS[name].scalar or m != "numexpr"}
        for name in names
    }
    print(f"\n{f'first call, n = {COLD:,}':28}" + "".join(f"{m:>12}" for m in modules))
    for name, times in first.items():
        cells = (show(times[m]) if m in times else "-" for m in modules)
        print(f"{name:28}" + "".join(f"{cell:>12}" for cell in cells))
    if options.plot:
        plot(found, modules, options.plot)
    if options.json:
        content = {"machine": machine.describe(), "seconds": found, "first call": first}
        options.json.write_text(compact(content), encoding="utf-8")


if __name__ == "__main__":
    main()
