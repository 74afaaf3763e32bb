"""A profile as tables: headings, rows of texts, and which columns are numbers; and as text.

`page` shows the same tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fastnp._profile.record import Record, Work, memory_bandwidth, size_text, time_text

__all__ = ["Table", "report", "tables"]

# Rows of a table that a report shows.
MAX_ROWS = 20
MAX_NAME = 60


class Table(NamedTuple):
    """A table; the first `texts` columns are texts, the others numbers."""

    title: str
    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    texts: int


def tables(p: Record) -> list[Table]:
    """The tables of a report."""
    return [table for table in (_parts(p), _work(p), *_causes(p), _counters(p)) if table.rows]


def _parts(p: Record) -> Table:
    rows = [
        (name, time_text(seconds), f"{seconds / p.seconds:.1%}" if p.seconds else "")
        for name, seconds in p.parts()
        if seconds or name == "unaccounted for"
    ]
    return Table("where the time went", ("part", "time", "share"), rows, 1)


def _work(p: Record) -> Table:
    limit = f"of {memory_bandwidth() / 1e9:.1f} GB/s" if p.work else ""
    heads = ("kernel", "how", "line", "largest domain", "runs", "time", "speed", limit)
    return Table("kernels and matrix products", heads, [_work_row(w) for w in p.work], 4)


def _work_row(work: Work) -> tuple[str, ...]:
    name = work.name if len(work.name) <= MAX_NAME else work.name[: MAX_NAME - 1] + "…"
    domain = " × ".join(map(str, work.domain)) or "1"
    share = "" if work.share is None else f"{work.share:.0%}"
    runs, seconds = f"{work.runs:,}", time_text(work.seconds)
    return (name, work.strategy, work.line, domain, runs, seconds, work.speed, share)


def _causes(p: Record) -> list[Table]:
    flushes = [
        (f.line, f.reason, f"{f.flushes:,}", f"{f.operations:,}", time_text(f.seconds))
        for f in p.flushes
    ]
    fallbacks = [
        (f.name, f.line, f.reason, f"{f.runs:,}", time_text(f.seconds)) for f in p.fallbacks
    ]
    loops = [(loop.line, f"{loop.turns:,}", time_text(loop.seconds)) for loop in p.loops]
    heads = ("line", "why work was computed here", "times", "operations", "time")
    return [
        Table("flushes", heads, flushes, 2),
        Table("fallbacks", ("function", "line", "reason", "runs", "time"), fallbacks, 3),
        Table("compiled loops", ("line", "turns", "time"), loops, 1),
    ]


def _counters(p: Record) -> Table:
    rows = [
        (name.replace("_", " "), size_text(n) if name.startswith("bytes") else f"{n:,}")
        for name, n in p.counters.items()
        if n
    ]
    return Table("caches, memory and other counters", ("counter", "value"), rows, 1)


def report(p: Record) -> str:
    """The report as text."""
    lines = [f"fastnp profile: {time_text(p.seconds)}"]
    for table in tables(p):
        lines += ["", table.title, *_lines(table)]
    return "\n".join(lines)


def _lines(table: Table) -> list[str]:
    shown = [table.heads, *table.rows[:MAX_ROWS]]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    lines = []
    for row in shown:
        cells = [
            f"{cell:<{width}}" if i < table.texts else f"{cell:>{width}}"
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  " + "  ".join(cells).rstrip())
    if len(table.rows) > MAX_ROWS:
        lines.append(f"  and {len(table.rows) - MAX_ROWS} more")
    return lines
