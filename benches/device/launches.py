"""What launches cost: a small kernel, pairs of independent kernels, first calls in a process."""

from __future__ import annotations

import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import fastnp
import numpy

from benches.device.modules import with_fastnp
from benches.rivals import EXPRESSIONS, Call, Expression, compare, function_of, vectors

COLD = 1 << 20
FIRST = "option price"
PAIR_SIZES = (1 << 12, 1 << 18, 1 << 24)
# How often a graph is launched before its kernels are woven, in the process that weaves.
WEAVE = 10

Map = Callable[[Any], Any]


def launches(rounds: int, budget: float) -> dict[str, float]:
    """Seconds of one small fused kernel from Python: enqueued a hundred times in a row, and
    synchronised after each launch."""
    x = fastnp.ones(4096, dtype="float32")
    with fastnp.settings(tiny=0):

        def many() -> None:
            for _ in range(100):
                fastnp.eval(x * 2.0 + 1.0)

        def each() -> None:
            fastnp.eval(x * 2.0 + 1.0)
            fastnp.synchronize()

        times = compare({"hundred": many, "one": each}, rounds, budget)
    fastnp.synchronize()
    return {"enqueued": times["hundred"] / 100, "synchronised": times["one"]}


def repeated(step: Map, count: int) -> Map:
    """So many steps of a map."""

    def run(x: Any) -> Any:
        for _ in range(count):
            x = step(x)
        return x

    return run


def exponential(x: Any) -> Any:
    return fastnp.exp(x) * 0.3


def quotient(x: Any) -> Any:
    return 1.5 / x


def root(x: Any) -> Any:
    return fastnp.sqrt(x)


def logarithm(x: Any) -> Any:
    return fastnp.log(fastnp.abs(x) + 2.0)


# As in `benches/benches/packed.rs`: what waits for memory, the divider, or arithmetic.
PAIRS: dict[str, tuple[Map, Map]] = {
    "sum, 5 exp": (lambda x: x + 2.0, repeated(exponential, 5)),
    "sum, 20 log": (lambda x: x + 2.0, repeated(logarithm, 20)),
    "root, exp": (root, exponential),
    "10 roots, 10 exp": (repeated(root, 10), repeated(exponential, 10)),
    "10 quotients, 5 log": (repeated(quotient, 10), repeated(logarithm, 5)),
    "5 exp, 5 log": (repeated(exponential, 5), repeated(logarithm, 5)),
}


def pair_times(
    sizes: Sequence[int], rounds: int, budget: float, limit: float
) -> dict[str, dict[str, float]]:
    """Seconds of two independent maps, as far as the time limit allows: `apart`, one after the
    other; `packed`, in one launch, as maps over as many elements are; `queued`, over other numbers
    of elements, which are two launches, and one that is woven in a process that weaves."""
    end = time.monotonic() + limit
    found = {}
    for n, (name, (first, second)) in itertools.product(sizes, PAIRS.items()):
        if time.monotonic() > end:
            break
        x, y = (fastnp.array(numpy.linspace(0.5, 2.0, n)) for _ in range(2))
        shorter = fastnp.array(numpy.linspace(0.5, 2.0, n - n // 16))
        calls: dict[str, Call] = {
            "apart": partial(_apart, first, second, x, y),
            "packed": partial(_together, first, second, x, y),
            "queued": partial(_together, first, second, x, shorter),
        }
        for call in calls.values():
            # Graphs are made, and woven, after some launches.
            for _ in range(2 * WEAVE):
                call()
        found[f"{name}, {n}"] = compare(calls, rounds, budget)
    return found


def _apart(first: Map, second: Map, x: Any, y: Any) -> None:
    fastnp.eval(first(x))
    fastnp.eval(second(y))
    fastnp.synchronize()


def _together(first: Map, second: Map, x: Any, y: Any) -> None:
    fastnp.eval(first(x), second(y))
    fastnp.synchronize()


def pairs(
    device: str, sizes: Sequence[int], rounds: int, budget: float, limit: float
) -> dict[str, Any]:
    """The times of pairs, and those of queued ones in a process that weaves kernels."""
    found = pair_times(sizes, rounds, budget, limit / 2)
    environment = {"FASTNP_WEAVE": str(WEAVE), "FASTNP_BACKEND": device}
    arguments = (*sizes, rounds, budget, limit / 2)
    woven = json.loads(in_process(device, environment, "--pairs", *map(str, arguments)))
    reached = {
        name: found[name] | {"woven": woven[name]["queued"]} for name in found if name in woven
    }
    return {"pairs": reached}


def print_pairs(arguments: list[str]) -> None:
    """What the process that weaves does."""
    *sizes, rounds, budget, limit = arguments
    times = pair_times([int(n) for n in sizes], int(rounds), float(budget), float(limit))
    print(json.dumps(times))


def in_process(device: str, environment: dict[str, str], *arguments: str) -> str:
    """What this program prints in a process of its own."""
    command = [sys.executable, "-m", "benches.device", device, *arguments]
    environment = {**os.environ, **environment}
    return subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, env=environment
    ).stdout


def first_calls(device: str) -> dict[str, float]:
    """Seconds of the first call in a process: with an empty and with a filled cache of kernels."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {"FASTNP_CACHE": cache, "FASTNP_BACKEND": device}
        found = [float(in_process(device, environment, "--first-call")) for _ in range(3)]
    return {"nothing cached": found[0], "cached": statistics.median(found[1:])}


def print_first_call() -> None:
    """Prints the seconds of a first call, after another expression set up the device."""
    values = tuple(map(fastnp.array, vectors(COLD, "float64").values()))
    elapsed = 0.0
    for expression in (Expression("x - y", 2), EXPRESSIONS[FIRST]):
        call = with_fastnp(partial(function_of, expression=expression), values)
        fastnp.synchronize()
        start = time.perf_counter()
        call()
        elapsed = time.perf_counter() - start
    print(elapsed)
