"""The ledger of fallbacks: which functions ran in NumPy on our arrays, how often, and from which
line of the user's program.

A call is recorded if an array of ours is among its arguments or its result is a new one. Draws of
`fastnp.random` and the checks of `fastnp.testing` run in NumPy by design and are not recorded.

The extension keeps it (`pybind/src/fallback/ledger.rs`). The call site of an entry is the first
frame outside this package, kept as a code object and an instruction offset. Only the report turns
the offset into a line number, as that scans the code's line table.
"""

from __future__ import annotations

import os
import sys
import warnings
from types import CodeType, FrameType
from typing import NamedTuple

from fastnp._fastnp import count_fallbacks, fallback_sites, reset_fallbacks, set_fallbacks

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep

MODES = ("ignore", "warn", "raise")


class FallbackError(RuntimeError):
    """A function without a native version was called on an array under `fastnp.strict()`."""


class FallbackWarning(UserWarning):
    """A function ran in NumPy, under the fallback mode `warn`."""


_mode = "ignore"
set_fallbacks(_PACKAGE, False)


def user_frame(depth: int = 1) -> tuple[FrameType | None, int]:
    """The first frame outside the package, and its `stacklevel` for the caller's warning."""
    frame: FrameType | None = sys._getframe(depth)
    level = depth
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
        level += 1
    return frame, level


def warn_or_raise(name: str, reason: str) -> None:
    """Refuse a fallback, or warn of it, as the mode says. The extension calls it."""
    text = f"{name} runs in NumPy ({reason})"
    if _mode == "raise":
        raise FallbackError(text)
    warnings.warn(text, FallbackWarning, stacklevel=user_frame()[1])


def mode() -> str:
    """What a fallback does: `ignore`, `warn` or `raise`."""
    return _mode


def set_mode(value: str) -> None:
    """Choose what a fallback does."""
    global _mode
    if value not in MODES:
        raise ValueError(f"fallback must be one of {', '.join(MODES)}, not {value!r}")
    _mode = value
    set_fallbacks(_PACKAGE, value != "ignore")


class Fallback(NamedTuple):
    """One function that ran in NumPy.

    `sites` maps "file:line" of the user's program to the number of runs from there; `reason` is why
    the first of them did not run natively.
    """

    name: str
    count: int  # type: ignore[assignment]
    sites: dict[str, int]
    reason: str


class Fallbacks(list[Fallback]):
    """A snapshot of the ledger, most frequent function first; prints as a table."""

    def __repr__(self) -> str:
        if not self:
            return "no fallbacks"
        rows = [("count", "function", "reason", "from")]
        for record in self:
            sites = sorted(record.sites.items(), key=lambda site: -site[1])
            shown = ", ".join(f"{line} ({count})" for line, count in sites[:3])
            if len(sites) > 3:
                shown += f", and {len(sites) - 3} more"
            rows.append((str(record.count), record.name, record.reason, shown))
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        return "\n".join(
            f"{count:>{widths[0]}}  {name:<{widths[1]}}  {reason:<{widths[2]}}  {shown}"
            for count, name, reason, shown in rows
        )


def line_of(code: CodeType | None, offset: int) -> str:
    """`file:line` of an instruction."""
    if code is None:
        return "elsewhere"
    for start, end, line in code.co_lines():
        if start <= offset < end and line is not None:
            return f"{code.co_filename}:{line}"
    return f"{code.co_filename}:{code.co_firstlineno}"


def fallbacks() -> Fallbacks:
    """The functions that ran in NumPy so far: a list of `Fallback` that prints as a table."""
    found: dict[str, tuple[dict[str, int], str]] = {}
    for name, code, offset, count, reason, _ in fallback_sites():
        sites, _ = found.setdefault(name, ({}, reason))
        line = line_of(code, offset)
        sites[line] = sites.get(line, 0) + count
    records = [
        Fallback(name, sum(sites.values()), sites, reason)
        for name, (sites, reason) in found.items()
    ]
    return Fallbacks(sorted(records, key=lambda record: (-record.count, record.name)))


def total() -> int:
    """The number of fallbacks so far."""
    return count_fallbacks()


def reset() -> None:
    """Remove every entry."""
    reset_fallbacks()


class strict:
    """Raise `FallbackError` where a function would run in NumPy on an array of ours.

    `fastnp.strict()` takes effect immediately, and `fastnp.strict(False)` ends it. Used as a
    context manager, it restores the previous mode on exit.

    >>> import fastnp as np
    >>> with np.strict():
    ...     np.sort(np.arange(3.0))
    Traceback (most recent call last):
    fastnp.FallbackError: sort runs in NumPy (not native)
    """

    def __init__(self, on: bool = True) -> None:
        self._before = _mode
        set_mode("raise" if on else "ignore")

    def __enter__(self) -> strict:
        return self

    def __exit__(self, *exc_info: object) -> None:
        set_mode(self._before)


for _shown in (FallbackError, FallbackWarning, Fallback, Fallbacks, strict, fallbacks):
    _shown.__module__ = "fastnp"
