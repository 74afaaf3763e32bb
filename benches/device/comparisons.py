"""Programs compared with NumPy and the libraries that are installed.

A part has cells, one for each program, type and size, the cells that there was no time or memory
for, and those whose result is not NumPy's. A cell has seconds a call by module, fastnp's share of
the bandwidth of a copy on the device, and the engine's counters for one call.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import fastnp
import numpy

from benches import composed
from benches.device.modules import Make, Uploaded, installed
from benches.rivals import EXPRESSIONS, LONG, Call, compare, function_of, show, vectors
from npbench.binding import run_source

OCEAN = Path(__file__).parents[1] / "ocean.py"
SIZES = (1 << 20, 1 << 24)
# What the programs of DelayRepay's authors were run with on a card of 5 GB: vectors of 1.2 GB.
PAPER_SIZE = 153_000_000
OCEAN_SIZES = (1 << 20, 1 << 22)
ROWS = ((4096, 1000), (100_000, 32))
# Larger than what runs on the host at once.
DRY_SIZES = (1 << 12,)
DRY_ROWS = ((64, 10),)
# Calls before the timing besides the first one. The second may compile once more, without results
# that were not read, and the third makes a graph of the launches.
WARM_CALLS = 3
# Results of up to so many elements are compared: a second each for the largest.
COMPARED = 1 << 24


@dataclass(frozen=True)
class Effort:
    """How often and how long a call is repeated, and when a part has to end."""

    rounds: int
    budget: float
    end: float


@dataclass(frozen=True)
class Case:
    """A function and its arguments, and the bytes that it has to read and to write, if it is known
    to be limited by them."""

    name: str
    make: Make
    arguments: Sequence[Any]
    moved: float | None
    exact: bool = True


class Copies:
    """The bandwidth of copies on the device, measured once for each power of two."""

    def __init__(self, effort: Effort) -> None:
        self.effort = effort
        self.measured: dict[int, float] = {}

    def bandwidth(self, moved: float) -> float:
        """Bytes a second of a copy of about as many, half of them read and half written."""
        power = max(4, round(math.log2(moved)))
        if power not in self.measured:
            source = fastnp.ones(1 << (power - 4))
            target = fastnp.empty_like(source)

            def call() -> None:
                target[...] = source
                fastnp.synchronize()

            took = compare({"copy": call}, self.effort.rounds, self.effort.budget)["copy"]
            self.measured[power] = 2 * source.nbytes / took
        return self.measured[power]


def counted(call: Call) -> dict[str, int]:
    """The engine's counters for one warm call."""
    fastnp.synchronize()
    fastnp.reset_stats()
    call()
    stats = fastnp.stats()
    launches = ("kernels_launched", "graphs_launched", "matrix_products")
    names = (*launches, "bytes_uploaded", "bytes_downloaded", "fallbacks")
    return {name: stats[name] for name in names} | {"on_device": stats["bytes_on_devices"]}


def same(ours: Any, theirs: Any) -> bool:
    """Whether results are NumPy's up to rounding, which cancellation may enlarge."""
    if isinstance(theirs, tuple):
        return all(map(same, ours, theirs))
    ours, theirs = numpy.asarray(ours), numpy.asarray(theirs)
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return False
    if theirs.dtype == bool or not theirs.size:
        return bool(numpy.array_equal(ours, theirs))
    scale = float(numpy.max(numpy.abs(theirs)))
    return bool(numpy.allclose(ours, theirs, rtol=1e-6, atol=1e-9 * scale, equal_nan=True))


def cell(case: Case, uploaded: Uploaded, copies: Copies) -> tuple[dict[str, Any], bool]:
    """A cell, and whether the result is NumPy's. Compilation and uploads are done before the
    timing. NumPy compiles nothing, so that its first call is its time if it is long.
    """
    calls: dict[str, Call] = {}
    times, results = {}, {}
    for module in installed():
        start = time.perf_counter()
        found = uploaded.call(module, case.make)
        if found:
            calls[module], result = found
            if module in ("numpy", "fastnp"):
                results[module] = result
            if module != "numpy":
                for _ in range(WARM_CALLS):
                    calls[module]()
            elif (took := time.perf_counter() - start) > LONG:
                times["numpy"] = took
    is_compared = case.exact and max(map(_size, results.values())) <= COMPARED
    agrees = not is_compared or same(results["fastnp"], results["numpy"])
    del result, results
    timed = {module: call for module, call in calls.items() if module not in times}
    times |= compare(timed, copies.effort.rounds, copies.effort.budget)
    share = case.moved and case.moved / times["fastnp"] / copies.bandwidth(case.moved)
    ordered = {module: times[module] for module in calls}
    return {"seconds": ordered, "share": share, **counted(calls["fastnp"])}, agrees


def _size(result: Any) -> int:
    """The elements of a result."""
    return sum(map(_size, result)) if isinstance(result, tuple) else int(numpy.size(result))


def compared(cases: Iterator[Case], effort: Effort) -> dict[str, Any]:
    """The cells of a part, printed as they are found."""
    cells, missed, failed = {}, [], []
    modules, uploaded, copies = installed(), Uploaded(()), Copies(effort)
    print(f"\n{'':40}{'numpy':>12}" + "".join(f"{m:>15}" for m in modules[1:]))
    for case in cases:
        if time.monotonic() > effort.end:
            missed.append(case.name)
            continue
        if case.arguments is not uploaded.arguments:
            uploaded = Uploaded(case.arguments)
        try:
            found, agrees = cell(case, uploaded, copies)
        except MemoryError:
            missed.append(case.name)
            continue
        cells[case.name] = found
        if not agrees:
            failed.append(f"{case.name} differs from NumPy")
        times = found["seconds"]
        line = f"{case.name:40}{show(times['numpy']):>12}"
        for module in modules[1:]:
            ratio = f"{times['numpy'] / times[module]:.2f}" if module in times else "-"
            has_share = module == "fastnp" and found["share"]
            share = f" {found['share']:4.0%}" if has_share else ""
            line += f"{ratio + share:>15}"
        print(line, flush=True)
    return {"cells": cells, "missed": missed, "failed": failed}


def expressions(
    sizes: Sequence[int], dtypes: Sequence[str], only_programs: bool = False
) -> Iterator[Case]:
    """The expressions and the twenty programs, or these only, by type and size."""
    for dtype in dtypes:
        width = numpy.dtype(dtype).itemsize
        for n in sizes:
            values = tuple(vectors(n, dtype).values())
            # The programs first, should the time not suffice for all.
            for name, expression in sorted(EXPRESSIONS.items(), key=lambda e: not e[1].program):
                largest = PAPER_SIZE if expression.program else expression.largest
                if n <= largest and (expression.program or not only_programs):
                    yield Case(
                        f"{name}, {dtype}, {n}",
                        partial(function_of, expression=expression),
                        values,
                        expression.bytes(n) * width / 8,
                        exact=dtype == "float64",
                    )


def ocean(sizes: Sequence[int]) -> Iterator[Case]:
    """The equation of state and isoneutral mixing, over grids like pyhpc-benchmarks'."""
    for n in sizes:
        for name, arguments in (
            ("enthalpy_slope", _water(n)),
            ("isoneutral_mixing", _grid(n)),
        ):
            yield Case(
                f"{name}, {n}",
                partial(_of_ocean, name),
                arguments,
                _bytes(arguments) + (arguments[0].nbytes if name == "enthalpy_slope" else 0),
            )


def _of_ocean(name: str, np: Any) -> Callable[..., Any]:
    function: Callable[..., Any] = run_source(OCEAN, np)[name]
    return function


def _bytes(arguments: Sequence[Any]) -> int:
    return sum(_bytes(a) if isinstance(a, tuple) else int(a.nbytes) for a in arguments)


def _water(n: int) -> tuple[Any, ...]:
    """Salinity, temperature and pressure."""
    random = numpy.random.default_rng(17)
    side = n ** (1 / 3)
    shape = (math.ceil(2**0.5 * side), math.ceil(2**0.5 * side), math.ceil(0.5 * side))
    water = random.uniform(30.0, 40.0, shape), random.uniform(-2.0, 30.0, shape)
    return *water, random.uniform(0.0, 4000.0, (1, 1, shape[-1]))


def _grid(n: int) -> tuple[Any, ...]:
    """Temperature, salinity, which cells are water, their sizes, the mixing, and the results."""
    random = numpy.random.default_rng(17)
    side = n ** (1 / 3)
    x, y, z = math.ceil(2 * side), math.ceil(2 * side), math.ceil(0.25 * side)
    depths = numpy.linspace(0.0, 1.0, z)
    temperature = 4.0 + 16.0 * depths + random.normal(0.0, 0.3, (x, y, z))
    salinity = 35.0 + 0.5 * depths + random.normal(0.0, 0.05, (x, y, z))
    wet = (random.random((x, y, z)) < 0.8).astype(float)
    sizes = random.uniform(1e4, 2e4, x), random.uniform(1e4, 2e4, y)
    heights = random.uniform(10.0, 100.0, z)
    mixing = random.uniform(500.0, 1500.0, (x, y, z))
    slopes = numpy.zeros((x - 1, y, z, 2, 2)), numpy.zeros((x, y - 1, z, 2, 2))
    mixed = (numpy.zeros(shape) for shape in ((x - 1, y, z), (x, y - 1, z), (x, y, z - 1)))
    return temperature, salinity, wet, sizes, heights, mixing, *slopes, *mixed


def rows(shapes: Sequence[tuple[int, int]]) -> Iterator[Case]:
    """The programs of `benches.composed`: normalisations, products with a narrow side."""
    for shape in shapes:
        x = numpy.random.default_rng(0).random(shape)
        for name, (program, is_copy_like) in composed.PROGRAMS.items():
            moved = 2.0 * x.nbytes if is_copy_like else None
            label = f"{name}, {shape[0]} x {shape[1]}"
            yield Case(label, partial(_of_module, program), (x,), moved)


def _of_module(program: composed.Program, np: Any) -> Callable[..., Any]:
    return partial(program, np)
