"""What the tips of `docs/tips.md` are worth: `python -m benches.tips`.

A tip is a heading, a program with `make`, `slow` and `fast`, and a line that begins with
`Measured:`, which `--write` replaces. Both functions are run in turns; the figures are medians.
"""

from __future__ import annotations

import argparse
import linecache
import re
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import fastnp

PAGE = Path(__file__).resolve().parents[1] / "docs" / "tips.md"
TIP = re.compile(r"^## (.*?)\n(.*?)^```python\n(.*?)^```\n\n(Measured: .*?)$", re.M | re.S)


class Tip(NamedTuple):
    """A tip: its heading, its functions, and the line with its figures."""

    title: str
    make: Callable[[], Any]
    slow: Callable[[Any], Any]
    fast: Callable[[Any], Any]
    measured: str


def tips(text: str) -> list[Tip]:
    """The tips of a page."""
    found = []
    for title, _, program, measured in TIP.findall(text):
        names: dict[str, Any] = {"np": fastnp}
        # `jit` reads a function's source as tracebacks do.
        file = f"<tip: {title}>"
        linecache.cache[file] = (len(program), None, program.splitlines(True), file)
        exec(compile(program, file, "exec"), names)
        found.append(Tip(title, names["make"], names["slow"], names["fast"], measured))
    return found


def seconds(function: Callable[[Any], Any], operand: Any) -> float:
    """The time of one call, with what it left pending."""
    began = time.perf_counter()
    result = function(operand)
    fastnp.eval(result)
    fastnp.flush()
    return time.perf_counter() - began


def measure(tip: Tip, rounds: int) -> tuple[float, float]:
    """The medians of both, in turns, after a call that compiles."""
    operand = tip.make()
    fastnp.eval(operand)
    both = (tip.slow, tip.fast)
    times = [[seconds(function, operand) for function in both] for _ in range(rounds + 1)][1:]
    slow, fast = (statistics.median(column) for column in zip(*times, strict=True))
    return slow, fast


def figures(slow: float, fast: float) -> str:
    """The line with the figures."""
    return (
        f"Measured: {slow * 1e3:.3g} ms and {fast * 1e3:.3g} ms: {slow / fast:.3g} times as fast."
    )


def main() -> None:
    """Time the tips that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--write", action="store_true", help="put the figures on the page")
    arguments = parser.parse_args()
    text = PAGE.read_text(encoding="utf-8")
    for tip in tips(text):
        line = figures(*measure(tip, arguments.rounds))
        print(f"{tip.title}: {line.removeprefix('Measured: ')}", flush=True)
        start = text.index(f"## {tip.title}\n")
        text = text[:start] + re.sub(r"Measured: .*", line, text[start:], count=1)
    if arguments.write:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
