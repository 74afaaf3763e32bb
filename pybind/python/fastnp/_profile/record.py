"""The profile of a block: what the extension, the ledger and the loops counted meanwhile.

The extension times flushes, planning, compiling and each kernel (`core/src/runtime/profile.rs`) and
fallbacks (`pybind/src/fallback/ledger.rs`); loops time themselves (`_loops/site.py`). Here their
sums are put side by side with the clock on the wall.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable
from functools import cache
from types import CodeType
from typing import Any, NamedTuple

from fastnp import _fastnp
from fastnp._profile.diagnostics import Stats, stats
from fastnp._state import ledger

__all__ = ["Fallback", "Flush", "Loop", "Record", "Span", "Work", "before", "memory_bandwidth"]

# The place of what ran outside a flush: small operations, which run when they are called; and of a
# flush that no line of Python asked for.
AT_ONCE = "at once"
OTHER_CODE = "other code"

# What is in use at a moment, rather than counted.
LEVELS = ("bytes_live", "bytes_peak", "bytes_cached", "bytes_on_devices")


class Work(NamedTuple):
    """The launches of one kernel, or the matrix products of one type, from one line."""

    name: str
    strategy: str
    line: str
    domain: tuple[int, ...]
    runs: int
    seconds: float
    bytes: int
    flops: int

    @property
    def speed(self) -> str:
        """Bytes or floating-point operations a second."""
        rate = (self.flops or self.bytes) / self.seconds / 1e9 if self.seconds else 0.0
        return f"{rate:.1f} {'GF/s' if self.flops else 'GB/s'}"

    @property
    def share(self) -> float | None:
        """The share of the memory's speed that it had; None for products. More than one where the
        operands were in a cache.
        """
        if self.flops or not self.seconds:
            return None
        return self.bytes / self.seconds / memory_bandwidth()


class Flush(NamedTuple):
    """The flushes from one line for one reason."""

    line: str
    reason: str
    flushes: int
    operations: int
    seconds: float


class Fallback(NamedTuple):
    """The runs of one function in NumPy from one line."""

    name: str
    reason: str
    line: str
    runs: int
    seconds: float


class Loop(NamedTuple):
    """A compiled loop."""

    line: str
    turns: int
    seconds: float


class Span(NamedTuple):
    """A part of the timeline; `start` is in seconds from the begin of the block."""

    kind: str
    name: str
    line: str
    start: float
    seconds: float


@cache
def memory_bandwidth() -> float:
    """Bytes a second that all threads read and write when they copy memory, measured once."""
    return _fastnp.memory_bandwidth()


class Record:
    """What was counted and timed in a block. `profile` fills it."""

    def __init__(self) -> None:
        self.seconds = self.planning = self.compiling = self.busy = 0.0
        self.work: list[Work] = []
        self.flushes: list[Flush] = []
        self.fallbacks: list[Fallback] = []
        self.loops: list[Loop] = []
        self.spans: list[Span] = []
        self.spans_left_out = 0
        self.counters = Stats()

    def take(self, found: dict[str, Any], before: Before) -> None:
        """Take over what the extension found, and what changed since `before`."""
        lines = [AT_ONCE, *(shown_line(*site) for site in found["sites"])]
        work = [
            Work(name, strategy, lines[site], tuple(domain), runs, ns / 1e9, size, flops)
            for name, strategy, site, domain, runs, ns, size, flops in found["work"]
        ]
        flushes = [
            Flush(lines[site] if site else OTHER_CODE, reason, count, nodes, ns / 1e9)
            for site, reason, count, nodes, ns in found["flushes"]
        ]
        self.spans = [
            _span(kind, row, start / 1e9, ns / 1e9, work, flushes)
            for kind, row, start, ns in found["spans"]
        ]
        self.spans_left_out = found["spans_left_out"]
        self.work, self.flushes = longest(_merged_work(work)), longest(_merged_flushes(flushes))
        self.planning, self.compiling, self.busy = (
            found[name] / 1e9 for name in ("planning", "compiling", "busy")
        )
        counters, fallbacks, loops = before
        after = stats()
        self.counters = Stats(
            {name: n if name in LEVELS else n - counters[name] for name, n in after.items()}
        )
        self.fallbacks = longest(_fallbacks_since(fallbacks))
        self.loops = longest(_loops_since(loops))

    def parts(self) -> list[tuple[str, float]]:
        """Where the time went: parts and seconds, which add up to that of the block, unless
        threads of the program worked at the same time.
        """
        kernels = sum(work.seconds for work in self.work if not work.flops)
        products = sum(work.seconds for work in self.work if work.flops)
        rest = self.busy - kernels - products - self.planning - self.compiling
        numpy = sum(fallback.seconds for fallback in self.fallbacks)
        loops = sum(loop.seconds for loop in self.loops)
        return [
            ("kernels", kernels),
            ("matrix products", products),
            ("memory and launches", max(rest, 0.0)),
            ("planning", self.planning),
            ("compiling", self.compiling),
            ("fallbacks to NumPy", numpy),
            ("compiled loops", loops),
            ("unaccounted for", max(self.seconds - self.busy - numpy - loops, 0.0)),
        ]


def longest(rows: Iterable[Any]) -> list[Any]:
    """Rows by time, the longest first."""
    return sorted(rows, key=lambda row: -row.seconds)


def _merged_work(rows: list[Work]) -> Iterable[Work]:
    """Rows of one line, which may hold several calls, in one."""
    found: dict[tuple[str, str, str], Work] = {}
    for row in rows:
        known = found.get(row[:3])
        if known is not None:
            domain = max(known.domain, row.domain, key=math.prod)
            row = row._replace(
                domain=domain,
                runs=known.runs + row.runs,
                seconds=known.seconds + row.seconds,
                bytes=known.bytes + row.bytes,
                flops=known.flops + row.flops,
            )
        found[row[:3]] = row
    return found.values()


def _merged_flushes(rows: list[Flush]) -> Iterable[Flush]:
    """As `_merged_work`, of flushes."""
    found: dict[tuple[str, str], Flush] = {}
    for row in rows:
        known = found.get(row[:2])
        if known is not None:
            row = row._replace(
                flushes=known.flushes + row.flushes,
                operations=known.operations + row.operations,
                seconds=known.seconds + row.seconds,
            )
        found[row[:2]] = row
    return found.values()


def shown_line(code: CodeType | None, offset: int) -> str:
    """`file:line`, relative to the working directory where it is below it."""
    line = ledger.line_of(code, offset)
    return line.removeprefix(os.getcwd() + os.sep)


def _span(
    kind: str, row: int, start: float, seconds: float, work: list[Work], flushes: list[Flush]
) -> Span:
    if kind == "work":
        return Span(kind, work[row].name, work[row].line, start, seconds)
    if kind == "flush":
        return Span(kind, f"flush: {flushes[row].reason}", flushes[row].line, start, seconds)
    return Span(kind, {"plan": "planning", "compile": "compiling"}[kind], "", start, seconds)


_Site = tuple[str, int, int]
Before = tuple[Stats, dict[_Site, tuple[int, int]], dict[int, tuple[int, float]]]


def before() -> Before:
    """What the counters, the ledger and the loops have so far."""
    return stats(), _fallbacks_so_far(), _loops_so_far()


def _fallbacks_so_far() -> dict[_Site, tuple[int, int]]:
    return {
        (name, id(code), offset): (count, ns)
        for name, code, offset, count, _, ns in _fastnp.fallback_sites()
    }


def _fallbacks_since(before: dict[_Site, tuple[int, int]]) -> list[Fallback]:
    found = []
    for name, code, offset, count, reason, ns in _fastnp.fallback_sites():
        runs, spent = before.get((name, id(code), offset), (0, 0))
        if count > runs:
            line = shown_line(code, offset)
            found.append(Fallback(name, reason, line, count - runs, (ns - spent) / 1e9))
    return found


def _loop_sites() -> list[Any]:
    """The sites of loops, if the program has any: then their module is imported."""
    module = sys.modules.get("fastnp._loops.site")
    return [] if module is None else [site for site in module.SITES if site.compiled]


def _loops_so_far() -> dict[int, tuple[int, float]]:
    return {id(site): (site.turns, site.seconds) for site in _loop_sites()}


def _loops_since(before: dict[int, tuple[int, float]]) -> list[Loop]:
    found = []
    for site in _loop_sites():
        turns, seconds = before.get(id(site), (0, 0.0))
        if site.turns > turns:
            line = site.place().removeprefix(os.getcwd() + os.sep)
            found.append(Loop(line, site.turns - turns, site.seconds - seconds))
    return found


def size_text(count: float) -> str:
    """Bytes in words: 12 KB, 3.4 MB."""
    if count < 1000:
        return f"{count:.0f} B"
    power = min(int(math.log10(count) / 3), 4)
    return f"{count / 1000**power:.3g} {' KMGT'[power]}B"


def time_text(seconds: float) -> str:
    """Seconds in words: 12 µs, 3.4 ms."""
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds * 1e9:.0f} ns"
