"""Tests and timings of a device: `python -m benches.device cuda --out docs/devices [--dry]`.

Runs on a machine that has the device, from an installed wheel and this checkout, within ten
minutes, and writes the results to a file named after the device:

- agreement: every function, type and layout against the portable backend; random programs, and
  what libraries of the device compute, against NumPy;
- the twenty programs of `programs.py` and single expressions, compared with CuPy (plain, and fused
  where `cupy.fuse` supports it), JAX jit and PyTorch compile, as far as they are installed: seconds
  a call, NumPy's too, and the fraction of a copy's bandwidth measured in the same run;
- launches: seconds for a fused kernel, and the part of them that recording takes;
- first calls, each in its own process: with an empty cache of compiled kernels, then with a filled
  one;
- NPBench, by its own runner, compared with CuPy too.

`--parts` selects parts and keeps the results of the others in the file; `--seconds` sets the time.
`--dry` runs everything with few and small arrays, as the tests do.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import fastnp
import numpy

from benches.rivals import (
    EXPRESSIONS,
    Call,
    Expression,
    compare,
    function_of,
    possible,
    show,
    vectors,
    with_jax,
    with_numpy,
)
from npbench import catalog, machine
from tests import on_device, on_libraries
from tests.fuzz.run import check

SIZES = (1 << 20, 1 << 24, 1 << 26)
DRY_SIZES = (1 << 10,)
COLD = 1 << 20
# Parts, and their shares of the time; parts without a share take seconds.
SHARES = {
    "agreement": 0.16,
    "random programs": 0.08,
    "libraries": 0.0,
    "launches": 0.0,
    "programs": 0.3,
    "first calls": 0.0,
    "npbench S": 0.2,
    "npbench L": 0.26,
}
MINUTES = 9
FIRST = "option price"


def with_fastnp(expression: Expression, values: dict[str, Any]) -> Call:
    """fastnp on the current device, synchronised."""
    function = function_of(fastnp, expression)
    ours = tuple(fastnp.array(value) for value in values.values())

    def call() -> Any:
        result = function(*ours)
        fastnp.synchronize()
        return result

    return call


def with_cupy(expression: Expression, values: dict[str, Any]) -> Call:
    """CuPy, without fusion."""
    cupy = importlib.import_module("cupy")
    return _cupy(function_of(cupy, expression), values)


def with_cupy_fuse(expression: Expression, values: dict[str, Any]) -> Call:
    """CuPy with the whole expression fused into one kernel, if it supports that."""
    cupy = importlib.import_module("cupy")
    return _cupy(cupy.fuse()(function_of(cupy, expression)), values)


def _cupy(function: Callable[..., Any], values: dict[str, Any]) -> Call:
    cupy = importlib.import_module("cupy")
    ours = tuple(cupy.asarray(value) for value in values.values())
    stream = cupy.cuda.get_current_stream()

    def call() -> Any:
        result = function(*ours)
        stream.synchronize()
        return result

    return call


def with_torch(expression: Expression, values: dict[str, Any]) -> Call:
    """`torch.compile` of the NumPy program, by `torch._numpy`."""
    torch = importlib.import_module("torch")
    np = importlib.import_module("torch._numpy")
    function = torch.compile(function_of(np, expression))
    ours = tuple(np.asarray(torch.from_numpy(value).cuda()) for value in values.values())

    def call() -> Any:
        result = function(*ours)
        torch.cuda.synchronize()
        return result

    return call


MODULES: dict[str, tuple[str, Callable[[Expression, dict[str, Any]], Call]]] = {
    "numpy": ("numpy", with_numpy),
    "fastnp": ("fastnp", with_fastnp),
    "cupy": ("cupy", with_cupy),
    "cupy.fuse": ("cupy", with_cupy_fuse),
    "jax": ("jax", with_jax),
    "torch.compile": ("torch", with_torch),
}


def installed() -> list[str]:
    """The modules that are installed."""
    return [name for name, (module, _) in MODULES.items() if importlib.util.find_spec(module)]


def copy_bandwidth(moved: int, rounds: int, budget: float) -> float:
    """Bytes a second of a copy on the device, half of them read and half written."""
    source = fastnp.ones(max(1, moved // 16))
    target = fastnp.empty_like(source)

    def call() -> None:
        target[...] = source
        fastnp.synchronize()

    return 2 * source.nbytes / compare({"copy": call}, rounds, budget)["copy"]


def counted(call: Call) -> dict[str, int]:
    """The engine's counters for one warm call."""
    fastnp.synchronize()
    fastnp.reset_stats()
    call()
    stats = fastnp.stats()
    launches = ("kernels_launched", "graphs_launched", "matrix_products")
    names = (*launches, "bytes_uploaded", "bytes_downloaded", "fallbacks")
    return {name: stats[name] for name in names} | {"on_device": stats["bytes_on_devices"]}


def programs(sizes: list[int], rounds: int, budget: float, seconds: float) -> dict[str, Any]:
    """Times of every expression and program, by type, size and module."""
    start = time.monotonic()
    modules, found = installed(), {}
    for dtype in ("float32", "float64"):
        width = numpy.dtype(dtype).itemsize
        print(f"\n{dtype:20}{'n':>12}{'numpy':>12}" + "".join(f"{m:>15}" for m in modules[1:]))
        for n in sizes:
            copies = copy_bandwidth(3 * width * n, rounds, budget)
            values = vectors(n, dtype)
            for name, expression in EXPRESSIONS.items():
                if n > expression.largest or time.monotonic() - start > seconds:
                    continue
                made = {m: _made(m, expression, values) for m in modules}
                calls = possible(made)
                # Compilation and uploads are done before the timing.
                for call in calls.values():
                    call()
                times = compare(calls, rounds, budget)
                share = expression.bytes(n) * width / 8 / times["fastnp"] / copies
                key = f"{name}, {dtype}, {n}"
                found[key] = {"seconds": times, "share": share, **counted(calls["fastnp"])}
                line = f"{name:20}{n:>12,}{show(times['numpy']):>12}"
                for module in modules[1:]:
                    ratio = f"{times['numpy'] / times[module]:.2f}" if module in times else "-"
                    line += f"{ratio + (f' {share:4.0%}' if module == 'fastnp' else ''):>15}"
                print(line, flush=True)
    return found


def _made(module: str, expression: Expression, values: dict[str, Any]) -> Call | None:
    try:
        return MODULES[module][1](expression, values)
    except Exception as refusal:
        if module in ("numpy", "fastnp"):
            raise
        print(f"{module} does not take it: {str(refusal).strip()[:70]}", file=sys.stderr)
        return None


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


def first_calls(device: str) -> dict[str, float]:
    """Seconds of the first call in a process: with an empty and with a filled cache of kernels."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "FASTNP_CACHE": cache, "FASTNP_BACKEND": device}
        command = [sys.executable, "-m", "benches.device", device, "--first-call"]
        found = [
            float(
                subprocess.run(
                    command, capture_output=True, text=True, check=True, env=environment
                ).stdout
            )
            for _ in range(3)
        ]
    return {"nothing cached": found[0], "cached": statistics.median(found[1:])}


def first_call() -> float:
    """Seconds of the first call of an expression, after another expression set up the device."""
    values = vectors(COLD, "float64")
    elapsed = math.nan
    for expression in (Expression("x - y", 2), EXPRESSIONS[FIRST]):
        call = with_fastnp(expression, values)
        start = time.perf_counter()
        call()
        elapsed = time.perf_counter() - start
    return elapsed


def random_programs(seconds: float, least: int) -> dict[str, Any]:
    """Random programs compared with NumPy, for some seconds and at least so many."""
    start, seed, failed = time.monotonic(), 0, []
    with fastnp.settings(tiny=0):
        while seed < least or time.monotonic() - start < seconds:
            _, reason = check(seed)
            if reason:
                failed.append(f"seed {seed}: {reason}")
            seed += 1
    return {"compared": seed, "failed": failed}


def npbench(device: str, preset: str, seconds: float, more: list[str]) -> dict[str, Any]:
    """The NPBench kernels by their own runner, one after the other until the time is up.

    Preset `L` is compared with CuPy if it is installed, since NumPy takes minutes.
    """
    start, cupy = time.monotonic(), "cupy" in installed()
    large = cupy and preset == "L"
    frameworks = "cupy,fastnp" if large else "numpy,fastnp" + ",cupy" * cupy
    kernels: list[dict[str, Any]] = []
    missed = []
    for name in catalog.names():
        left = seconds - (time.monotonic() - start)
        if left <= 0:
            missed.append(name)
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "npbench.json"
            command = [sys.executable, "-m", "npbench", "--preset", preset, "--kernels", name]
            command += ["--frameworks", frameworks, "--json", str(path), *more]
            environment = {**os.environ, "FASTNP_BACKEND": device}
            try:
                # Differences and failures are in the file, and printed below.
                subprocess.run(
                    command, env=environment, check=False, capture_output=True, timeout=left
                )
                kernels += json.loads(path.read_text(encoding="utf-8"))["kernels"]
            except subprocess.TimeoutExpired:
                missed.append(name)
    return {"kernels": kernels, "missed": missed, "over": speedups(kernels)}


def speedups(kernels: list[dict[str, Any]]) -> dict[str, float]:
    """The speed-up of fastnp over each other framework: the geometric mean over the kernels on
    which both agree with the reference."""
    ratios: dict[str, list[float]] = {}
    for kernel in kernels:
        agreeing = {o["label"]: o["median_seconds"] for o in kernel["outcomes"] if o["agrees"]}
        ours = agreeing.pop("fastnp", None)
        for label, seconds in agreeing.items():
            if ours and seconds:
                ratios.setdefault(label, []).append(seconds / ours)
    return {label: statistics.geometric_mean(found) for label, found in ratios.items()}


def run_parts(
    device: str, parts: Sequence[str], seconds: float, dry: bool
) -> Iterator[tuple[str, Any]]:
    """Runs some parts, and yields the result of each when it is done."""
    rounds, budget = (2, 0.002) if dry else (5, 0.02)
    whole = sum(SHARES[part] for part in parts)
    limits = {part: seconds * SHARES[part] / whole for part in parts if SHARES[part]}
    sizes = list(DRY_SIZES if dry else SIZES)
    more = ["--repeat", "2"] if dry else ["--budget", "0.5", "--timeout", "20"]
    runs: dict[str, Callable[[], Any]] = {
        "agreement": lambda: on_device.agreement(device, limits["agreement"]),
        "random programs": lambda: random_programs(limits["random programs"], 20 if dry else 500),
        "libraries": on_libraries.agreement,
        "launches": lambda: launches(rounds, budget),
        "programs": lambda: programs(sizes, rounds, budget, limits["programs"]),
        "first calls": lambda: first_calls(device),
        "npbench S": lambda: npbench(device, "test" if dry else "S", limits["npbench S"], more),
        "npbench L": lambda: npbench(device, "test" if dry else "L", limits["npbench L"], more),
    }
    for part in parts:
        with fastnp.device(device):
            found = runs[part]()
        print(f"{part}: {_summary(found)}", flush=True)
        yield part, found


def _summary(found: dict[str, Any]) -> str:
    """The result of a part in a line, and a line for each failure."""
    if "failed" in found:
        failed = "".join(f"\n  {reason}" for reason in found["failed"][:20])
        return f"{found['compared']} compared, {len(found['failed'])} failed{failed}"
    if "kernels" in found:
        over = ", ".join(f"{ratio:.2f} over {label}" for label, ratio in found["over"].items())
        missed = f"\n  not reached: {' '.join(found['missed'])}" if found["missed"] else ""
        return f"{len(found['kernels'])} kernels, {over or 'none compared'}{_failed(found)}{missed}"
    if all(isinstance(v, float) for v in found.values()):
        return ", ".join(f"{k} {show(v)}" for k, v in found.items())
    return _program_speedups(found)


def _program_speedups(found: dict[str, Any]) -> str:
    """The speed-up of the twenty programs over each other module, as a geometric mean."""
    lines = []
    for module in installed():
        ratios = {
            key: one["seconds"][module] / one["seconds"]["fastnp"]
            for key, one in found.items()
            if module in one["seconds"] and EXPRESSIONS[key.rsplit(", ", 2)[0]].program
        }
        if ratios and module != "fastnp":
            least = min(ratios, key=ratios.__getitem__)
            mean = statistics.geometric_mean(ratios.values())
            lines.append(f"{mean:.2f} over {module}, least {ratios[least]:.2f} ({least})")
    return "; ".join(lines)


def _failed(found: dict[str, Any]) -> str:
    return "".join(
        f"\n  {kernel['kernel']} under {outcome['label']}: {outcome['error'] or 'differs'}"
        for kernel in found["kernels"]
        for outcome in kernel["outcomes"]
        if not outcome["agrees"]
    )


def main() -> int:
    """The command line; returns 1 if any result differs."""
    parser = argparse.ArgumentParser(prog="python -m benches.device", description=__doc__)
    parser.add_argument("device", help="cuda, cuda:1, …")
    parser.add_argument("--out", type=Path, help="write the results to a file in this folder")
    parser.add_argument("--parts", nargs="+", choices=SHARES, default=list(SHARES), metavar="PART")
    parser.add_argument("--seconds", type=float, help=f"time to take (default: {60 * MINUTES})")
    parser.add_argument("--dry", action="store_true", help="few and small arrays, as a test")
    parser.add_argument("--first-call", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.first_call:
        print(first_call())
        return 0
    with fastnp.device(options.device):
        name = fastnp.describe_device()
    print(name, flush=True)
    seconds = options.seconds or (15.0 if options.dry else 60.0 * MINUTES)
    found: dict[str, Any] = {"device": name, "machine": machine.describe()}
    path = None
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        words = "".join(c if c.isalnum() else "-" for c in name.lower()).split("-")
        path = options.out / ("-".join(filter(None, words)) + ".json")
        if path.exists():
            found = json.loads(path.read_text(encoding="utf-8")) | found
    for part, result in run_parts(options.device, options.parts, seconds, options.dry):
        found[part] = result
        if path:
            # Written after each part, so that results remain if a later part fails.
            path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if path:
        print(f"written to {path}")
    return 1 if any(found[part].get("failed") for part in options.parts) else 0


if __name__ == "__main__":
    sys.exit(main())
