"""Tests and timings of a device: `python -m benches.device cuda --out docs/devices --page
docs/gpu.md`.

Runs on a machine that has the device, from an installed wheel and this checkout, within ten
minutes, and writes the results to a file named after the device, and to a page:

- agreement: every function, type and layout against the portable backend; random programs, and
  what libraries of the device compute, against NumPy;
- expressions and the twenty programs of `programs.py`, compared with CuPy (plain, and fused where
  `cupy.fuse` supports it), JAX jit and PyTorch compile, as far as they are installed: seconds a
  call, NumPy's too, and the fraction of a copy's bandwidth measured in the same run; then the
  twenty over vectors as large as those that DelayRepay was measured with;
- the equation of state and isoneutral mixing of `ocean.py`, and the normalisations and narrow
  products of `composed.py`, compared in the same way;
- launches: seconds for a fused kernel, and the part of them that recording takes; pairs of
  independent kernels: one after the other, in one launch, queued together, and woven;
- first calls, each in its own process: with an empty cache of compiled kernels, then with a filled
  one;
- NPBench, by its own runner, compared with CuPy too.

`--parts` selects parts and keeps the results of the others in the file; `--seconds` sets the time.
`--dry` runs everything with few and small arrays, as the tests do.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import fastnp

from benches.device import comparisons, kernels, launches, page
from benches.rivals import EXPRESSIONS, show
from npbench import machine
from tests import on_device, on_libraries, on_programs

# Parts, and their shares of the time; parts without a share take seconds.
SHARES = {
    "agreement": 0.15,
    "random programs": 0.05,
    "libraries": 0.0,
    "launches": 0.0,
    "pairs": 0.08,
    "programs": 0.17,
    "programs at the paper's size": 0.14,
    "ocean": 0.05,
    "composed": 0.04,
    "first calls": 0.0,
    "npbench S": 0.12,
    "npbench L": 0.2,
}
# Parts without a share take up to a minute.
MINUTES = 8


def run_parts(
    device: str, parts: Sequence[str], seconds: float, dry: bool
) -> Iterator[tuple[str, Any]]:
    """Runs some parts, and yields the result of each when it is done. What a part raises is its
    result, so that the others run."""
    rounds, budget = (2, 0.002) if dry else (3, 0.02)
    whole = sum(SHARES[part] for part in parts)
    limits = {part: seconds * SHARES[part] / whole for part in parts if SHARES[part]}
    few = comparisons.DRY_SIZES
    more = ["--repeat", "2"] if dry else ["--budget", "0.5", "--timeout", "20"]

    def compared(part: str, cases: Iterator[comparisons.Case]) -> dict[str, Any]:
        end = time.monotonic() + limits[part]
        return comparisons.compared(cases, comparisons.Effort(rounds, budget, end))

    runs: dict[str, Callable[[str], Any]] = {
        "agreement": lambda part: on_device.agreement(device, limits[part]),
        "random programs": lambda part: on_programs.agreement(device, limits[part]),
        "libraries": lambda part: on_libraries.agreement(),
        "launches": lambda part: launches.launches(rounds, budget),
        "pairs": lambda part: launches.pairs(
            device, few if dry else launches.PAIR_SIZES, rounds, budget, limits[part]
        ),
        "programs": lambda part: compared(
            part, comparisons.expressions(few if dry else comparisons.SIZES, ("float64", "float32"))
        ),
        "programs at the paper's size": lambda part: compared(
            part,
            comparisons.expressions(
                few if dry else (comparisons.PAPER_SIZE,), ("float64",), only_programs=True
            ),
        ),
        "ocean": lambda part: compared(
            part, comparisons.ocean(few if dry else comparisons.OCEAN_SIZES)
        ),
        "composed": lambda part: compared(
            part, comparisons.rows(comparisons.DRY_ROWS if dry else comparisons.ROWS)
        ),
        "first calls": lambda part: launches.first_calls(device),
        "npbench S": lambda part: kernels.npbench(
            device, "test" if dry else "S", limits[part], more
        ),
        "npbench L": lambda part: kernels.npbench(
            device, "test" if dry else "L", limits[part], more
        ),
    }
    for part in parts:
        start = time.monotonic()
        print(f"{part} …", flush=True)
        try:
            with fastnp.device(device):
                found = runs[part](part)
        except Exception as error:
            traceback.print_exc()
            found = {"compared": 0, "failed": [f"{type(error).__name__}: {error}"]}
        print(f"{part}: {summary(found)} ({time.monotonic() - start:.0f} s)", flush=True)
        yield part, found


def summary(found: dict[str, Any]) -> str:
    """The result of a part in a line, and a line for each failure."""
    failures = [*found.get("failed", ())]
    if "cells" in found:
        text = comparisons_summary(found["cells"])
    elif "kernels" in found:
        failures = kernels.wrong(found)
        over = ", ".join(f"{ratio:.2f} over {label}" for label, ratio in found["over"].items())
        text = f"{len(found['kernels'])} kernels, {over or 'none compared'}"
    elif "pairs" in found:
        text = f"{len(found['pairs'])} pairs"
    elif "failed" in found:
        text = f"{found['compared']} compared"
    else:
        return ", ".join(f"{name} {show(seconds)}" for name, seconds in found.items())
    if missed := found.get("missed"):
        text += f", {len(missed)} not reached"
    return f"{text}, {len(failures)} failed" + "".join(f"\n  {f}" for f in failures[:20])


def comparisons_summary(cells: dict[str, Any]) -> str:
    """The speed-up of the programs over each other module, as a geometric mean."""
    ratios: dict[str, dict[str, float]] = {}
    for key, one in cells.items():
        expression = EXPRESSIONS.get(key.split(", ")[0])
        if expression is None or expression.program:
            for module, seconds in one["seconds"].items():
                ratios.setdefault(module, {})[key] = seconds / one["seconds"]["fastnp"]
    ratios.pop("fastnp", None)
    lines = []
    for module, found in ratios.items():
        least = min(found, key=found.__getitem__)
        mean = statistics.geometric_mean(found.values())
        lines.append(f"{mean:.2f} over {module}, least {found[least]:.2f} ({least})")
    return "; ".join(lines)


def parsed() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benches.device", description=__doc__)
    parser.add_argument("device", help="cuda, cuda:1, …")
    parser.add_argument("--out", type=Path, help="write the results to a file in this folder")
    parser.add_argument("--page", type=Path, help="write the figures to this page; needs --out")
    parser.add_argument("--parts", nargs="+", choices=SHARES, default=list(SHARES), metavar="PART")
    parser.add_argument("--seconds", type=float, help=f"time to take (default: {60 * MINUTES})")
    parser.add_argument("--dry", action="store_true", help="few and small arrays, as a test")
    parser.add_argument("--first-call", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--pairs", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.page and not options.out:
        parser.error("--page needs --out, the folder of the file that the page links")
    return options


def main() -> int:
    """The command line; returns 1 if any result differs."""
    options = parsed()
    if options.first_call:
        launches.print_first_call()
        return 0
    if options.pairs:
        launches.print_pairs(options.pairs)
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
            if options.page:
                page.write(options.page, found, path)
    if path:
        print(f"written to {path}")
    return 1 if any(found[part].get("failed") for part in options.parts) else 0


if __name__ == "__main__":
    sys.exit(main())
