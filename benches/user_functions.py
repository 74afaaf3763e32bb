"""Python functions of numbers under `vectorize`: `python -m benches.user_functions [--elements N]`.

Each line has the milliseconds of fastnp, the least of some rounds, and the time of NumPy's
`vectorize` or `frompyfunc` for as many elements over it. The last line has the turns that a point
makes on average, for which the cost model has one number. It does not pass or fail.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import fastnp as np
import numpy

from tests.loops.escape_times import escape_time, mandelbrot


def with_ufunc(x: float) -> float:
    return np.exp(-x) * 2 if x > 0 else 1.0


def decayed(s: float, x: float) -> float:
    return 0.5 * s + x


def picture(n: int) -> tuple[Any, ...]:
    """About `n` points around the Mandelbrot set: 300 x 200 of 60,000."""
    side = max(round((n / 6) ** 0.5), 1)
    return numpy.meshgrid(
        numpy.linspace(-2.25, 0.75, 3 * side), numpy.linspace(-1.25, 1.25, 2 * side)
    )


def cases(n: int) -> dict[str, tuple[Callable[[], Any], Callable[[], Any], float]]:
    """What fastnp does with `n` elements, what NumPy does with some, and with how many."""
    # Typed as NumPy's, which has no methods of ufuncs.
    vectorize: Any = np.vectorize
    rng = numpy.random.default_rng(0)
    few = max(n // 20, 1)
    re, im, x = rng.uniform(-2, 0.5, n), rng.uniform(-1.25, 1.25, n), rng.normal(size=n)
    position = rng.integers(0, 1000, n)
    lanes = max(n // 1000, 1)
    table, part = x[: lanes * (n // lanes)].reshape(lanes, -1), max(n // 100, 1)
    points, exponential, fold = vectorize(mandelbrot), vectorize(with_ufunc), vectorize(decayed)
    objects: Any = numpy.frompyfunc(decayed, 2, 1)
    slow_points, slow = numpy.vectorize(mandelbrot), numpy.vectorize(with_ufunc)
    plane, part_of_plane, slow_picture = picture(n), picture(few), numpy.vectorize(escape_time)
    escape = vectorize(escape_time)
    return {
        "mandelbrot": (
            lambda: points(re, im),
            lambda: slow_points(re[:few], im[:few]),
            few,
        ),
        "picture": (
            lambda: escape(*plane),
            lambda: slow_picture(*part_of_plane),
            part_of_plane[0].size * n / plane[0].size,
        ),
        "exp, fused": (lambda: exponential(x), lambda: slow(x[:few]), few),
        "reduce": (lambda: fold.reduce(x), lambda: objects.reduce(x), n),
        "reduce of rows": (lambda: fold.reduce(table, 1), lambda: objects.reduce(table, 1), n),
        "accumulate": (lambda: fold.accumulate(x), lambda: objects.accumulate(x), n),
        "reduceat": (
            lambda: fold.reduceat(x, numpy.arange(0, n, part)),
            lambda: objects.reduceat(x, numpy.arange(0, n, part)),
            n,
        ),
        "at": (
            lambda: fold.at(numpy.zeros(1000), position, x),
            lambda: objects.at(numpy.zeros(1000), position, x),
            n,
        ),
    }


def newton(x: float) -> int:
    """Turns of Newton's method for a square root, to the last bits."""
    y = x
    n = 0
    while abs(y * y - x) > 1e-15 * x:
        y = 0.5 * (y + x / y)
        n += 1
        if n == 50:
            break
    return n


def counted(n: int) -> dict[str, Callable[[], Any]]:
    """Functions that give the turns of each of some points."""
    few = max(n // 20, 1)
    rng = numpy.random.default_rng(0)
    re, im = rng.uniform(-2, 0.5, few), rng.uniform(-1.25, 1.25, few)
    plane, x = picture(few), rng.uniform(0.01, 100, few)
    return {
        "mandelbrot": lambda: numpy.vectorize(mandelbrot)(re, im),
        "picture": lambda: numpy.vectorize(escape_time)(*plane),
        "square root": lambda: numpy.vectorize(newton)(x),
    }


def least(call: Callable[[], Any], rounds: int) -> float:
    """The seconds of the fastest of some calls, with what they left pending."""
    seconds = []
    for _ in range(rounds):
        begun = time.perf_counter()
        call()
        np.flush()
        seconds.append(time.perf_counter() - begun)
    return min(seconds)


def main() -> None:
    """Prints a line for each case."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--elements", type=int, default=300_000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    for name, (ours, numpys, elements) in cases(arguments.elements).items():
        least(ours, 2)  # compiles
        seconds = least(ours, arguments.rounds)
        theirs = least(numpys, 2) * arguments.elements / elements
        print(f"{name:16} {seconds * 1e3:9.3f} ms {theirs / seconds:8.1f}x", flush=True)
    turns = {name: call().mean() for name, call in counted(arguments.elements).items()}
    print("turns a point:", ", ".join(f"{name} {mean:.1f}" for name, mean in turns.items()))


if __name__ == "__main__":
    main()
