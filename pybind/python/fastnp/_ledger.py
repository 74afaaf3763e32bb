"""The ledger of fallbacks: which functions ran in NumPy on our arrays, how often, and from which
line.

An entry is made when an array of ours goes into a NumPy function or a new one comes out of it.
Draws of `fastnp.random` and the checks of `fastnp.testing` run in NumPy by design and are not
entered.

The site of an entry is the first frame outside this package. It is kept as a code object and an
instruction offset: turning the offset into a line number scans the code's line table, which is left
to the report.
"""

from __future__ import annotations

import os
import sys
import warnings
from types import CodeType, FrameType
from typing import Any, NamedTuple

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep

# Programs that compile code in a loop would make a site an iteration; past this many they share one
# entry.
_MOST_SITES = 10_000

MODES = ("ignore", "warn", "raise")


class FallbackError(RuntimeError):
    """A function without a native version was given an array of ours under `fastnp.strict()`."""


class FallbackWarning(UserWarning):
    """A function ran in NumPy, under the fallback mode `warn`."""


_Key = tuple[str, int, int]

_mode = "ignore"
_sites: dict[_Key, list[Any]] = {}


def user_frame(depth: int = 1) -> tuple[FrameType | None, int]:
    """The first frame outside the package, and the `stacklevel` `warnings.warn` needs there from
    the caller.
    """
    frame: FrameType | None = sys._getframe(depth)
    level = depth
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
        level += 1
    return frame, level


def enter(name: str, reason: str, objecting: bool = True) -> None:
    """Count one run of `name` in NumPy; warn or raise when the mode asks for it and `objecting`."""
    # Frame 1 is `_fallback.call`; what called it may be the extension, and frame 2 the user's.
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    key = (name, 0, 0) if frame is None else (name, id(frame.f_code), frame.f_lasti)
    entry = _sites.get(key)
    if entry is not None:
        entry[0] += 1
    elif frame is None or len(_sites) >= _MOST_SITES:
        _sites.setdefault((name, 0, 0), [0, None, reason])[0] += 1
    else:
        # The entry holds the code object, so its id stays its own.
        _sites[key] = [1, frame.f_code, reason]
    if objecting and _mode != "ignore":
        _object(name, reason)


def _object(name: str, reason: str) -> None:
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


class Fallback(NamedTuple):
    """One function that ran in NumPy.

    `sites` maps "file:line" of the user's to the number of runs from there; `reason` is that of the
    first run.
    """

    name: str
    count: int  # type: ignore[assignment]
    sites: dict[str, int]
    reason: str


class Fallbacks(list[Fallback]):
    """The ledger at one moment, most frequent first; prints as a table."""

    def __repr__(self) -> str:
        if not self:
            return "no fallbacks"
        rows = [("count", "function", "reason", "from")]
        for record in self:
            busiest = sorted(record.sites.items(), key=lambda site: -site[1])
            shown = ", ".join(f"{place} ({count})" for place, count in busiest[:3])
            if len(busiest) > 3:
                shown += f", and {len(busiest) - 3} more"
            rows.append((str(record.count), record.name, record.reason, shown))
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        return "\n".join(
            f"{count:>{widths[0]}}  {name:<{widths[1]}}  {reason:<{widths[2]}}  {place}"
            for count, name, reason, place in rows
        )


def _place(code: CodeType | None, offset: int) -> str:
    if code is None:
        return "elsewhere"
    for start, end, line in code.co_lines():
        if start <= offset < end and line is not None:
            return f"{code.co_filename}:{line}"
    return f"{code.co_filename}:{code.co_firstlineno}"


def fallbacks() -> Fallbacks:
    """What ran in NumPy so far, as a list of `Fallback` records that prints as a table."""
    found: dict[str, tuple[dict[str, int], str]] = {}
    for (name, _, offset), (count, code, reason) in list(_sites.items()):
        sites, _ = found.setdefault(name, ({}, reason))
        place = _place(code, offset)
        sites[place] = sites.get(place, 0) + count
    records = [
        Fallback(name, sum(sites.values()), sites, reason)
        for name, (sites, reason) in found.items()
    ]
    return Fallbacks(sorted(records, key=lambda record: (-record.count, record.name)))


def total() -> int:
    """How many fallbacks there were."""
    return sum(entry[0] for entry in list(_sites.values()))


def reset() -> None:
    """Forget every entry."""
    _sites.clear()


class strict:
    """Raise `FallbackError` where an array would go to NumPy.

    `fastnp.strict()` takes effect at once and `fastnp.strict(False)` ends it; as a context manager
    the former mode is back afterwards.

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
