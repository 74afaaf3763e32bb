"""Random programs of loops, as they are and rewritten: what they print, raise and leave must agree.

python -m tests.loops.compare --count 100000 --seed 1
python -m tests.loops.compare --count 100000 --compiled --jobs 8
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import gc
import io
import linecache
import random
import re
import signal
import sys
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import zip_longest
from multiprocessing import get_context
from types import CodeType, FrameType, ModuleType
from typing import Any

import fastnp
from fastnp._loops import direct_loops, formulas, loop_vectorization
from fastnp._loops import site as policy
from fastnp._loops.rewrite import Unit, compile_tree
from fastnp._loops.thresholds import TIERS
from numpy import generic, ndarray

from tests.loops import numeric
from tests.loops.control import Writer
from tests.loops.mock import mocked
from tests.progress import with_progress


def show(value: Any) -> Any:
    """A function's result; of a generator what it yields and returns."""
    if not hasattr(value, "send"):
        return value
    found = []
    try:
        while True:
            found.append(next(value))
    except StopIteration as stop:
        return found, stop.value


# Objects within each other whose attributes are shown: a program may link a thousand.
DEEPEST = 50


class Shown:
    """Values as text, with their types and to the last bit. Objects of the program are numbered as
    they are met, so that the text says which are the same.
    """

    def __init__(self) -> None:
        self.met: dict[int, str] = {}
        self.depth = 0

    def __call__(self, value: Any) -> str:
        kind = type(value).__name__
        if isinstance(value, ndarray):
            whose = "fastnp" if type(value) is fastnp.ndarray else "NumPy"
            steps = value.strides if value.ndim > 1 else ""
            return f"{whose} {kind} {value.dtype} {value.tolist()} {steps}"
        if type(value).__module__ == "program":
            return self.met[id(value)] if id(value) in self.met else self.of_object(value)
        if isinstance(value, list | tuple | deque) and any(map(holds_objects, value)):
            return f"{kind} ({', '.join(map(self, value))})"
        if type(value) is int:
            return f"int {value:#x}"
        try:
            return f"{kind} {value!r}"
        except ValueError:
            # An integer in it has more than 4,300 digits, which Python does not print.
            items = value.items() if isinstance(value, dict) else value
            return f"{kind} ({', '.join(map(self, items))})"

    def of_object(self, value: Any) -> str:
        """An object that was not met before, with its attributes."""
        name = self.met[id(value)] = f"{type(value).__name__} {len(self.met)}"
        fields = dict(getattr(value, "__dict__", {}))
        slots = getattr(type(value), "__slots__", ())
        fields |= {slot: getattr(value, slot) for slot in slots if hasattr(value, slot)}
        if self.depth == DEEPEST:
            return f"{name}({', '.join(fields)})"
        self.depth += 1
        shown = ", ".join(f"{field}={self(fields[field])}" for field in fields)
        self.depth -= 1
        return f"{name}({shown})"


def is_table(value: Any) -> bool:
    """Whether a value is a set, or a dictionary of numbers, with integers or tuples as keys."""
    if not isinstance(value, dict | set) or not all(isinstance(one, int | tuple) for one in value):
        return False
    values = value.values() if isinstance(value, dict) else ()
    return all(isinstance(one, int | float | list | set | tuple) for one in values)


def holds_objects(value: Any) -> bool:
    """Whether a value is an object of the program, or holds some."""
    if isinstance(value, list | tuple | deque):
        return any(map(holds_objects, value))
    return type(value).__module__ == "program"


Outcome = tuple[str, str, list[tuple[int, str, str]], dict[str, str]]


def outcome(code: CodeType) -> Outcome:
    """What running a program prints, raises and where, and its variables after."""
    variables: dict[str, Any] = {"__name__": "program", "np": fastnp, "show": show}
    printed, error, places = io.StringIO(), "", []
    with contextlib.redirect_stdout(printed), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            exec(code, variables)
        except Exception as raised:
            error = repr(raised)
            places = [
                (frame.lineno or 0, frame.name, str(frame.colno))
                for frame in traceback.extract_tb(raised.__traceback__)[1:]
            ]
            if isinstance(raised, NameError) and sys.version_info < (3, 12):
                # At times the place is that of the instruction before (super-instructions).
                del places[-1]
    shown = Shown()
    kept = {
        name: shown(value)
        for name, value in sorted(variables.items())
        if name[0] != "_"
        and (
            isinstance(
                value, int | float | complex | str | list | tuple | deque | ndarray | generic
            )
            or type(value).__module__ == "program"
            or is_table(value)
        )
    }
    kept["lists"] = repr(identities(variables))
    kept["names"] = repr(sorted(variables))
    kept["warnings"] = repr([(str(w.message), w.lineno) for w in warned])
    return printed.getvalue(), error, places, kept


def identities(variables: dict[str, Any]) -> list[int]:
    """Which of the lists that the variables are, and of those in them, are the same."""
    lists: list[Any] = [v for _, v in sorted(variables.items()) if isinstance(v, list | dict | set)]
    for one in lists:
        rows = one.values() if isinstance(one, dict) else one
        lists += [row for row in rows if isinstance(row, list | set) and len(lists) < 1000]
    known: dict[int, int] = {}
    return [known.setdefault(id(one), len(known)) for one in lists]


def events(code: CodeType) -> list[tuple[str, str, int]]:
    """What a debugger sees while a program runs."""
    seen: list[tuple[str, str, int]] = []

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "exception" and argument[0] is StopIteration:
            return trace  # told of a generator's end unless the loop's instruction is specialised
        if frame.f_code.co_filename == "program.py":
            seen.append((event, frame.f_code.co_name, frame.f_lineno))
            return trace
        return seen.append((event, frame.f_code.co_filename, 0)) if is_ours(frame) else None

    before = sys.gettrace()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
        sys.settrace(trace)
        try:
            exec(code, {"__name__": "program", "np": fastnp, "show": show})
        finally:
            sys.settrace(before)
    return seen


def is_ours(frame: FrameType) -> bool:
    """Whether a frame is one of the package's that runs loops."""
    return "_loops" in frame.f_code.co_filename


def rewritten(source: str, dice: random.Random) -> tuple[CodeType, Unit]:
    """The program with sites that ask for compiled code at once, or after a few turns."""
    code, unit = compile_tree(ast.parse(source), "program.py")
    for site in unit.sites:
        site.is_eager = dice.random() < 0.5
        site.threshold = dice.choice([0, 1e-6, 1e-5, 1e-4])
        site.live = dice.random() < 0.9
        site.plain_turns = dice.random() < 0.1
    return code, unit


def differing(expected: Outcome, found: Outcome) -> str:
    """What differs between two runs of a program; empty if nothing does."""
    for what, one, other in zip(("output", "error", "places", "names"), expected, found):
        if one != other:
            return f"{what}:\n{one}\nis not, rewritten,\n{other}"
    return ""


def check(seed: int) -> tuple[str, str]:
    """A program, and how it differs; empty if it does not."""
    source = Writer(seed).program()
    linecache.cache["program.py"] = (len(source), None, source.splitlines(True), "program.py")
    expected = outcome(compile(source, "program.py", "exec", dont_inherit=True))
    for run in range(4):
        with mocked(1000 * seed + run, budget=(5, 20, 60, 200)[run]) as dice, eager(dice):
            code, _ = rewritten(source, dice)
            found = outcome(code)
        if difference := differing(expected, found):
            return source, f"run {run}, {difference}"
    plain = events(compile(source, "program.py", "exec", dont_inherit=True))
    for k, pair in enumerate(zip_longest(plain, events(rewritten(source, dice)[0]))):
        if pair[0] != pair[1]:
            return source, f"event {k}:\n{pair[0]}\nis not, rewritten,\n{pair[1]}"
    return source, ""


# Seconds of the processor for a run: a few programs in a million multiply an integer by itself
# until it has more digits than a computer can multiply, and are not compared.
LONGEST = 20


class TooLong(BaseException):
    """A program has run for more than LONGEST seconds."""


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Raises TooLong in a block that takes too long, in the main thread."""

    def stop(*_: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def check_compiled(seed: int) -> tuple[str, str]:
    """A program of numbers and arrays, and how it differs with its loops compiled."""
    source = numeric.Writer(seed).program()
    linecache.cache["program.py"] = (len(source), None, source.splitlines(True), "program.py")
    # Array statements of few elements call kernels in one half of the programs, and direct loops in
    # the other, where each loop asks for compiled code at once: else three quarters of them do, as
    # few loops have turns for more than one question.
    has_kernels = seed % 2
    dice = random.Random(2 * seed + has_kernels)
    code, unit = rewritten(source, dice)
    for site in unit.sites:
        site.is_eager = site.is_eager or not has_kernels or dice.random() < 0.5
    plain = unit.sites[0].original if unit.sites else None
    try:
        with limited():
            expected = outcome(plain() if plain else code)
    except TooLong:
        return source, ""
    everywhere = kernels_everywhere if has_kernels else direct_loops_everywhere
    with eager(dice), everywhere() if dice.random() < 0.8 else contextlib.nullcontext():
        found = outcome(code)
    difference = differing(expected, found)
    if difference and shows_order(expected):
        difference = differing(rounded(expected), rounded(found))
    return source, difference


NUMBER = re.compile(r"-?\d+\.\d*(?:e[+-]?\d+)?|-?\d+e[+-]?\d+")


def shows_order(found: Outcome) -> bool:
    """Whether numbers have become such that sums of them show the order that they are added in,
    which compiled loops do not promise: those of fewer bits are exact in any order.
    """
    numbers = (abs(float(number)) for number in NUMBER.findall(str(found)))
    return any(number >= 1 << 53 or number * (1 << 30) % 1 for number in numbers)


def rounded(found: Outcome) -> Outcome:
    """What a program has done, with ten digits of each number."""
    output, error, places, kept = found
    shorter = partial(NUMBER.sub, lambda number: f"{float(number[0]):.9e}")
    return shorter(output), shorter(error), places, {k: shorter(v) for k, v in kept.items()}


@contextlib.contextmanager
def from_one_element_on(module: ModuleType) -> Any:
    """Have array statements call kernels, or their loops, for few elements, too."""
    before = {name: value for name, value in vars(module).items() if name.startswith("LEAST_")}
    vars(module).update(dict.fromkeys(before, 1))
    try:
        yield
    finally:
        vars(module).update(before)


kernels_everywhere = partial(from_one_element_on, formulas)
direct_loops_everywhere = partial(from_one_element_on, direct_loops)


@contextlib.contextmanager
def eager(dice: random.Random) -> Any:
    """Have compiled code entered, and turns made as array statements, for a few turns only."""
    values: dict[str, object] = {
        "LOST": 10.0,
        "ENTER_FROM": dice.choice([0, 1e-6]),
        "SHORT": dice.choice([0, 3]),
        "PIECE": dice.choice([0, 1e-6, 1e-5]),
    }
    # One loop in a hundred takes more lines than that, and a fifth of the time: in most programs it
    # is refused, and those inside are compiled.
    most = dice.choice([24_000, *[6_000] * 7])
    values["TIERS"] = tuple((min(lines, most), seconds) for lines, seconds in TIERS)
    before = {name: getattr(policy, name) for name in values}
    for name, value in values.items():
        setattr(policy, name, value)
    least, loop_vectorization.LEAST = loop_vectorization.LEAST, 2
    try:
        yield
    finally:
        loop_vectorization.LEAST = least
        for name, value in before.items():
            setattr(policy, name, value)


def calm_collector() -> None:
    """Has garbage be collected more rarely: one collection for several programs, not many for each,
    which take a twentieth of the time.
    """
    gc.freeze()
    gc.set_threshold(50_000)


Examine = Callable[[int], tuple[str, str]]


def compared(examine: Examine, seeds: range, jobs: int) -> Iterator[tuple[str, str]]:
    """What `examine` finds for each seed, by several processes if there is more than one job."""
    if jobs == 1:
        yield from map(examine, seeds)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), calm_collector) as pool:
        yield from pool.map(examine, seeds, chunksize=20)


def main() -> int:
    """Compare the programs of a range of seeds."""
    parser = argparse.ArgumentParser(description="Random loops, as they are and rewritten.")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--compiled", action="store_true", help="numbers, and the real compiler")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--write", action="store_true", help="print the program of --seed and exit")
    arguments = parser.parse_args()
    examine = check_compiled if arguments.compiled else check
    if arguments.write:
        source, difference = examine(arguments.seed)
        print(source, f"# {difference or 'agrees'}", sep="\n")
        return int(bool(difference))
    failed, start = [], time.perf_counter()
    calm_collector()
    seeds = range(arguments.seed, arguments.seed + arguments.count)
    differences = compared(examine, seeds, arguments.jobs)
    for seed, (_, difference) in zip(with_progress(seeds, "programs compared"), differences):
        if difference:
            failed.append(seed)
            print(f"seed {seed} differs: {difference}", flush=True)
    seconds = time.perf_counter() - start
    print(f"{arguments.count} programs, {arguments.count / seconds:.0f}/s, {len(failed)} differ")
    if failed:
        print("seeds:", *failed)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
