"""What became of loops: the report at a program's end, and `fastnp.explain` of a function."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import CodeType, FunctionType, MethodType
from typing import TextIO

from fastnp._loops.outcome import Refusal
from fastnp._loops.rewrite import Unit
from fastnp._loops.site import SITES, Site

__all__ = ["UNITS", "explained", "print_report", "report"]

# The modules of the program that were rewritten, in the order of their imports.
UNITS: list[Unit] = []


def report(units: list[Unit] | None = None) -> str:
    """The loops that were compiled, with types, turns and seconds; those that were not, and why;
    where compiled code was left, and why.
    """
    lines: list[str] = []
    for unit in UNITS if units is None else units:
        for site in sorted(unit.sites, key=lambda site: site.line):
            lines += _of_site(site)
        for refusal in unit.refused:
            lines.append(f"{unit.filename}:{refusal.line}: not compiled: {refusal.reason}")
    if units is None:
        for site in sorted((site for site in SITES if site.is_eager), key=Site.place):
            lines += _of_site(site)
    head = "fastnp: loops" if lines else "fastnp: no loops"
    return "\n".join([head, *lines])


def print_report(stream: TextIO | None = None) -> None:
    """Print the report, to standard error."""
    print(report(), file=stream or sys.stderr)


def _of_site(site: Site) -> Iterator[str]:
    place = site.place()
    if site.compiled:
        # Turns in whose middle compiled code was left are the interpreter's.
        whole = max(site.turns - site.leaves.total(), 0)
        saved = whole * site.turn_seconds - site.seconds
        yield (
            f"{place}: compiled: {site.turns:,} turns in {site.runs:,} runs, "
            f"{site.seconds * 1e3:,.1f} ms"
            f"{f', about {saved * 1e3:,.1f} ms saved' * (saved > 0)} ({site.qualname})"
        )
        for compiled in site.compiled:
            yield f"    types: {compiled.describe().partition(chr(10))[0]}"
    for refusal in site.refusals:
        where = f"{site.filename}:{refusal.line}: " * (refusal.line != site.line)
        yield f"{place}: not compiled: {where}{refusal.reason}"
    for (line, reason), count in site.leaves.most_common():
        why = reason or "a warning, an error, or a number beyond its type's range"
        yield f"{site.filename}:{line}: left {count:,} times: {why}"
    if not (site.compiled or site.refusals):
        turns = f"too few turns ({site.work:,} statements)" if site.work else "not entered"
        yield f"{place}: not compiled: {turns}"


def sites_of(code: CodeType) -> Iterator[Site]:
    """The sites in a function, and in functions inside it."""
    for value in code.co_consts:
        if isinstance(value, Site):
            yield value
        elif isinstance(value, CodeType):
            yield from sites_of(value)


def explained(function: FunctionType | MethodType) -> str:
    """A function's loops: compiled for which types, to which code, or why not."""
    sites = list(dict.fromkeys(sites_of(function.__code__)))
    refused: list[Refusal] = getattr(function, "__dict__", {}).get("_refused_loops", [])
    if not (sites or refused):
        return f"{function.__qualname__}: no loops that fastnp compiles"
    parts: list[tuple[int, str]] = []
    for site in sorted(sites, key=lambda site: site.line):
        text = "\n".join(line.removeprefix(f"{site.filename}:") for line in _of_site(site))
        for compiled in site.compiled:
            text += "\n" + "\n".join(f"    {line}" for line in compiled.describe().splitlines())
        parts.append((site.line, f"line {text}"))
    parts += [(r.line, f"line {r.line}: not compiled: {r.reason}") for r in refused]
    return "\n".join(text for _, text in sorted(parts))
