"""Kernels of NPBench beside JAX's jitted forms: `python -m benches.jitted [--presets S M]`.

A whole kernel, its loop over time included, is one function that JAX compiles in advance
(`jax.jit` around `lax.fori_loop`), while fastnp runs the NumPy program of `npbench` as it is, with
its loops in the interpreter and, in a second column, as `python -m fastnp` runs them. All start
from arrays in memory, and stop when the results are there. A line has the median milliseconds of
warm calls, and for JAX its time over the faster of fastnp's: above 1 fastnp is faster. The
convolution has two forms: its loop over pixels as in the NumPy program, and
`lax.conv_general_dilated`.

All runs are in one process and take turns in both orders, JAX with each of fastnp's two forms
apart: what a new array is used for first decides where the next ones lie, so a program that is run
in both forms in turns moves its arrays each time, in some 50 us, which one that runs does not. It
needs JAX, and fails where results differ.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import fastnp
import numpy
from fastnp._loops.install import program_code

from benches.turns import take_turns
from npbench import catalog
from npbench.kernel import Kernel

jax: Any = importlib.import_module("jax")
jax.config.update("jax_enable_x64", True)
jnp, lax = jax.numpy, jax.lax

Inputs = dict[str, Any]
# The largest difference of an element of a result.
TOLERANCE = {"float64": 1e-10, "float32": 2e-4}


def heat_3d(source: Any, target: Any) -> Any:
    centre = source[1:-1, 1:-1, 1:-1]
    return target.at[1:-1, 1:-1, 1:-1].set(
        0.125 * (source[2:, 1:-1, 1:-1] - 2.0 * centre + source[:-2, 1:-1, 1:-1])
        + 0.125 * (source[1:-1, 2:, 1:-1] - 2.0 * centre + source[1:-1, :-2, 1:-1])
        + 0.125 * (source[1:-1, 1:-1, 2:] - 2.0 * centre + source[1:-1, 1:-1, :-2])
        + centre
    )


def jacobi_1d(source: Any, target: Any) -> Any:
    return target.at[1:-1].set(0.33333 * (source[:-2] + source[1:-1] + source[2:]))


def jacobi_2d(source: Any, target: Any) -> Any:
    return target.at[1:-1, 1:-1].set(
        0.2
        * (
            source[1:-1, 1:-1]
            + source[1:-1, :-2]
            + source[1:-1, 2:]
            + source[2:, 1:-1]
            + source[:-2, 1:-1]
        )
    )


def stepped(step: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """The kernel that repeats a step from A to B and back."""

    def kernel(TSTEPS: Any, A: Any, B: Any) -> Any:
        def both(_: Any, state: Any) -> Any:
            b = step(*state)
            return step(b, state[0]), b

        return lax.fori_loop(1, TSTEPS, both, (A, B))

    return jax.jit(kernel)


def convolved_by_pixels(images: Any, weights: Any, bias: Any) -> Any:
    K, _, C_in, _ = weights.shape
    N, H, W, _ = images.shape

    def pixel(i: Any, j: Any) -> Any:
        patch = lax.dynamic_slice(images, (0, i, j, 0), (N, K, K, C_in))
        return jnp.sum(patch[..., None] * weights[None], axis=(1, 2, 3))

    def row(i: Any) -> Any:
        return lax.map(partial(pixel, i), jnp.arange(W - K + 1))

    return jnp.transpose(lax.map(row, jnp.arange(H - K + 1)), (2, 0, 1, 3)) + bias


def convolved(images: Any, weights: Any, bias: Any) -> Any:
    layouts = ("NHWC", "HWIO", "NHWC")
    result = lax.conv_general_dilated(images, weights, (1, 1), "VALID", dimension_numbers=layouts)
    return result + bias


FORMS: dict[str, dict[str, Callable[..., Any]]] = {
    "heat_3d": {"jax": stepped(heat_3d)},
    "conv2d_bias": {"jax": jax.jit(convolved_by_pixels), "jax conv": jax.jit(convolved)},
    "jacobi_1d": {"jax": stepped(jacobi_1d)},
    "jacobi_2d": {"jax": stepped(jacobi_2d)},
}


def by_fastnp(kernel: Kernel, function: Callable[..., Any], inputs: Inputs) -> tuple[float, Any]:
    """The seconds of a call, and its result."""
    ours = {name: fastnp.array(v) if is_array(v) else v for name, v in inputs.items()}
    fastnp.eval(*filter(is_array, ours.values()))
    start = time.perf_counter()
    result = function(*ours.values())
    results = [ours[name] for name in kernel.mutates] if result is None else [result]
    fastnp.eval(*results)
    return time.perf_counter() - start, results[0]


def by_jax(function: Callable[..., Any], inputs: Inputs) -> tuple[float, Any]:
    """The seconds of a call, and its result."""
    theirs = {name: jnp.array(v) if is_array(v) else v for name, v in inputs.items()}
    jax.block_until_ready(list(theirs.values()))
    start = time.perf_counter()
    result = jax.block_until_ready(function(*theirs.values()))
    seconds = time.perf_counter() - start
    return seconds, result[0] if isinstance(result, tuple) else result


def is_array(value: Any) -> bool:
    return hasattr(value, "shape")


def compare(name: str, preset: str, rounds: int) -> dict[str, float]:
    """Seconds of a warm call, by form."""
    kernel = catalog.find(name)
    inputs = kernel.inputs(preset)
    functions = {"fastnp": kernel.bind(fastnp), "compiled loops": kernel.bind(fastnp, program_code)}
    calls = {form: partial(by_fastnp, kernel, of, inputs) for form, of in functions.items()}
    calls |= {form: partial(by_jax, function, inputs) for form, function in FORMS[name].items()}
    found = {form: warm(call) for form, call in calls.items()}
    ours = numpy.asarray(found["fastnp"])
    for form, result in found.items():
        difference = float(numpy.max(numpy.abs(numpy.asarray(result) - ours)))
        if difference > TOLERANCE[ours.dtype.name]:
            raise SystemExit(f"{name}, {preset}: {form} differs by {difference}")
    measures = {form: lambda call=call: call()[0] for form, call in calls.items()}
    times: dict[str, list[float]] = {form: [] for form in calls}
    for own in functions:
        warm(calls[own])
        apart = {form: measures[form] for form in calls if form == own or form not in functions}
        for form, seconds in take_turns(apart, rounds).items():
            times[form] += seconds
    return {form: statistics.median(seconds) for form, seconds in times.items()}


def warm(call: Callable[[], tuple[float, Any]]) -> Any:
    """The result after a tenth of a second, in which what is to be compiled is."""
    seconds = 0.0
    while seconds < 0.1:
        seconds += call()[0]
    return call()[1]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--kernels", nargs="*", default=list(FORMS), choices=list(FORMS))
    parser.add_argument("--presets", nargs="*", default=["S", "M"])
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    head = f"{'fastnp ms':>10}{'compiled loops':>16}"
    print(f"{'kernel':14}{'preset':8}{head}   JAX's ms, over the faster of them")
    for name in options.kernels:
        for preset in options.presets:
            times = compare(name, preset, options.rounds)
            plain, loops = times.pop("fastnp"), times.pop("compiled loops")
            ours = min(plain, loops)
            theirs = "".join(
                f"{form:>12}{t * 1e3:9.3f}{t / ours:6.2f}" for form, t in times.items()
            )
            both = f"{plain * 1e3:10.3f}{loops * 1e3:16.3f}"
            print(f"{name:14}{preset:8}{both}{theirs}", flush=True)


if __name__ == "__main__":
    main()
