"""Fuzz from the command line: `python -m tests.fuzz.programs --count 100000 --seed 1 --mode lazy`.

`--surroundings` names what happens around the programs (`tests.fuzz.surroundings`).

Prints a shrunk script for each of the first failures and lists every failing seed, to be added to
`tests/fuzz/seeds.txt`. Exits with 1 if any program failed.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import fastnp

from tests.fuzz.generate import Surroundings
from tests.fuzz.run import MODES, check, explained
from tests.fuzz.surroundings import SURROUNDINGS

SEEDS = Path(__file__).parent / "seeds.txt"


def kept_seeds() -> list[int]:
    """Seeds that failed once, in any mode."""
    lines = (line.split("#")[0].strip() for line in SEEDS.read_text().splitlines())
    return [int(line) for line in lines if line]


def main() -> int:
    """Run the programs of a range of seeds."""
    parser = argparse.ArgumentParser(description="Random programs under NumPy and fastnp.")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--mode", choices=MODES, default="default", help="engine settings")
    parser.add_argument(
        "--surroundings",
        choices=SURROUNDINGS,
        default="nothing",
        help="what happens around programs",
    )
    parser.add_argument(
        "--print", type=int, default=5, dest="most", help="failures to print in full"
    )
    parser.add_argument("--write", action="store_true", help="print the program of --seed and exit")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    fastnp.settings(**MODES[arguments.mode])
    surroundings = SURROUNDINGS[arguments.surroundings]
    with surroundings.context():
        return fuzz(arguments, surroundings)


def fuzz(arguments: argparse.Namespace, surroundings: Surroundings) -> int:
    """Run the programs, and report."""
    if arguments.write:
        program, reason = check(arguments.seed, surroundings)
        print(program.script(), f"# {reason or 'agrees'}", sep="\n")
        return int(reason is not None)
    failing, start, reported = [], time.perf_counter(), time.perf_counter()
    for done, seed in enumerate(range(arguments.seed, arguments.seed + arguments.count), 1):
        try:
            program, reason = check(seed, surroundings)
        except BaseException:
            print(f"seed {seed} stops the run", flush=True)
            raise
        if reason:
            failing.append(seed)
            print(f"seed {seed} fails: {reason}", flush=True)
            if len(failing) <= arguments.most:
                print(explained(program, reason), flush=True)
        now = time.perf_counter()
        if now - reported > 5 or done == arguments.count:
            reported = now
            print(
                f"{done} programs, {done / (now - start):.0f}/s, {len(failing)} failed", flush=True
            )
    if failing:
        print("failing seeds:", *failing)
    return int(bool(failing))


if __name__ == "__main__":
    raise SystemExit(main())
