"""Fourier transforms, compared with NumPy's and scipy's: `python -m benches.fft [--json out.json]`.

Transforms of one axis, of powers of two, three, five and seven and of primes; of many lines; of two
and three axes; and two programs: a spectral Navier-Stokes solver and a split-step Schrödinger
equation. Each line has milliseconds of NumPy and fastnp, and of scipy with two workers if it is
installed, and their ratios: above 1 fastnp is faster. At the end are geometric means and minima.
It does not pass or fail.

The modules take turns in both orders; a figure is the least of the rounds, each the mean of so
many calls as take the budget. fastnp takes as many threads as `FASTNP_NUM_THREADS` says.
"""

from __future__ import annotations

import argparse
import json
import math
import timeit
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import fastnp
import numpy

from benches.turns import Times, take_turns

LENGTHS = (16, 64, 256, 1024, 2**14, 2**18, 2**20, 2**22)
ODD_LENGTHS = (27, 243, 2187, 3**11, 25, 625, 5**7, 49, 343, 7**5, 10, 100, 1000, 10**6)
PRIMES = (17, 97, 1009, 10007, 100_003)
LINES: tuple[tuple[int, ...], ...] = ((1000, 16), (1000, 64), (64, 1000), (243, 243), (100, 1009))
GRIDS: tuple[tuple[int, ...], ...] = (
    (64, 64),
    (256, 256),
    (1000, 1000),
    (1024, 1024),
    (32, 32, 32),
    (100, 100, 100),
)
WORKERS = 2

rng = numpy.random.default_rng(0)


def complex_numbers(shape: tuple[int, ...]) -> Any:
    """NumPy's array."""
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


Case = tuple[str, str, Any, dict[str, Any]]


def transforms() -> Iterator[Case]:
    """The group, the function, its argument and its keywords."""
    for group, lengths in (("2^k", LENGTHS), ("3^k 5^k 7^k", ODD_LENGTHS), ("primes", PRIMES)):
        for n in lengths:
            yield group, "fft", complex_numbers((n,)), {}
            yield group, "rfft", rng.standard_normal(n), {}
    for shape in LINES:
        yield "lines", "fft", complex_numbers(shape), {}
        yield "lines", "irfft", complex_numbers(shape), {}
        yield "lines", "fft", complex_numbers(shape[::-1]), {"axis": 0}
    for shape in GRIDS:
        yield "grids", "fftn", complex_numbers(shape), {}
        yield "grids", "rfftn", rng.standard_normal(shape), {}
        yield "grids", "irfftn", complex_numbers(shape), {}
    yield "single", "fft", complex_numbers((2**16,)).astype("F"), {}
    yield "single", "fft2", complex_numbers((512, 512)).astype("F"), {}


def navier_stokes(np: Any, n: int = 256, steps: int = 8) -> Any:
    """Vorticity in two dimensions, by transforms in space and Runge-Kutta steps of second order."""
    k = np.fft.fftfreq(n, 1 / n)
    kx, ky = k[:, None], k[None, : n // 2 + 1].copy()
    ky[0, -1] = n // 2
    square = kx * kx + ky * ky
    inverse = 1 / np.where(square == 0, 1, square)
    keep = (abs(kx) < n // 3) & (abs(ky) < n // 3)
    x = np.arange(n) * (2 * np.pi / n)
    w = np.fft.rfft2(np.sin(4 * x)[:, None] * np.cos(3 * x) + 0.1 * np.cos(x)[:, None])
    dt, viscosity = 1e-3, 1e-3

    def change(w: Any) -> Any:
        psi = w * inverse
        u, v = np.fft.irfft2(1j * ky * psi), np.fft.irfft2(-1j * kx * psi)
        wx, wy = np.fft.irfft2(1j * kx * w), np.fft.irfft2(1j * ky * w)
        return np.where(keep, -np.fft.rfft2(u * wx + v * wy), 0) - viscosity * square * w

    for _ in range(steps):
        middle = w + 0.5 * dt * change(w)
        w = w + dt * change(middle)
    return np.fft.irfft2(w)


def schroedinger(np: Any, n: int = 4096, steps: int = 200) -> Any:
    """A wave packet in a harmonic potential, by Strang splitting."""
    x = np.linspace(-20, 20, n, endpoint=False)
    k = 2 * np.pi * np.fft.fftfreq(n, 40 / n)
    dt = 1e-3
    half = np.exp(-0.25j * dt * x * x)
    kinetic = np.exp(-0.5j * dt * k * k)
    psi = np.exp(-((x - 3) ** 2) + 2j * x)
    for _ in range(steps):
        psi = half * np.fft.ifft(kinetic * np.fft.fft(half * psi))
    return abs(psi) ** 2


def least(call: Callable[[], Any], budget: float) -> Callable[[], float]:
    """A measurement: seconds a call."""
    timer = timeit.Timer(call)
    once = min(timer.repeat(2, 1))
    number = max(1, int(budget / max(once, 1e-9)))
    return lambda: timer.timeit(number) / number


def timed(calls: dict[str, Callable[[], Any]], rounds: int, budget: float) -> Times:
    """Seconds a call of each."""
    found = take_turns({name: least(call, budget) for name, call in calls.items()}, rounds)
    return {name: min(times) for name, times in found.items()}


def calls_of(case: Case) -> dict[str, Callable[[], Any]]:
    """The call of each module."""
    _, name, x, kwargs = case
    ours = fastnp.array(x)

    def run_fastnp() -> None:
        getattr(fastnp.fft, name)(ours, **kwargs)
        fastnp.flush()

    calls: dict[str, Callable[[], Any]] = {
        "numpy": lambda: getattr(numpy.fft, name)(x, **kwargs),
        "fastnp": run_fastnp,
    }
    if find_spec("scipy") is not None:
        import scipy.fft

        calls["scipy"] = lambda: getattr(scipy.fft, name)(x, workers=WORKERS, **kwargs)
    return calls


def geometric_mean(ratios: list[float]) -> float:
    """The geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def line(title: str, times: Times) -> str:
    """A row of the table."""
    shown = f"{title:44}{1e3 * times['numpy']:11.4f}{1e3 * times['fastnp']:11.4f}"
    shown += f"{times['numpy'] / times['fastnp']:9.2f}"
    if "scipy" in times:
        shown += f"{1e3 * times['scipy']:12.4f}{times['scipy'] / times['fastnp']:9.2f}"
    return shown


def _finished(program: Callable[[Any], Any]) -> None:
    """Run a program under fastnp to its end."""
    program(fastnp)
    fastnp.flush()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--budget", type=float, default=0.02, help="seconds of a round")
    parser.add_argument("--largest", type=int, default=2**22, help="elements of an array")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found: dict[str, Times] = {}
    groups: dict[str, list[Times]] = {}
    print(f"{'':44}{'NumPy ms':>11}{'fastnp ms':>11}{'ratio':>9}{'scipy ms':>12}{'ratio':>9}")
    for case in transforms():
        group, name, x, kwargs = case
        if x.size > options.largest:
            continue
        shape = " x ".join(map(str, x.shape))
        title = f"{name} {shape} {x.dtype} {kwargs or ''}"
        times = timed(calls_of(case), options.rounds, options.budget)
        groups.setdefault(group, []).append(times)
        found[title.strip()] = times
        print(line(title, times), flush=True)
    for program in (navier_stokes, schroedinger):
        calls: dict[str, Callable[[], Any]] = {
            "numpy": partial(program, numpy),
            "fastnp": partial(_finished, program),
        }
        times = timed(calls, options.rounds, options.budget)
        found[program.__name__] = times
        print(line(program.__name__, times), flush=True)
    everything = [times for group in groups.values() for times in group]
    for name, times_of in [*groups.items(), ("all transforms", everything)]:
        for other in ("numpy", "scipy"):
            ratios = [times[other] / times["fastnp"] for times in times_of if other in times]
            if ratios:
                print(
                    f"{name}: geometric mean {geometric_mean(ratios):.2f} of {other}'s speed, "
                    f"least {min(ratios):.2f}"
                )
    if options.json is not None:
        options.json.write_text(json.dumps({"seconds": found}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
