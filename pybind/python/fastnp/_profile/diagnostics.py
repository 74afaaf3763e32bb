"""Diagnostics: the engine's counters, and evaluation of pending arrays on request."""

from __future__ import annotations

from typing import Any

from fastnp import _fastnp
from fastnp._state import ledger


class Stats(dict[str, int]):
    """Counters by name; prints as a table."""

    def __repr__(self) -> str:
        if not self:
            return "no counters"
        width = max(map(len, self))
        return "\n".join(f"{name:<{width}}  {count:>14,}" for name, count in self.items())


def stats() -> Stats:
    """The engine's counters since the start or `reset_stats`, and `fallbacks`, the number of calls
    that ran in NumPy.
    """
    return Stats({**_fastnp.stats(), "fallbacks": ledger.total()})


def reset_stats() -> None:
    """Set every counter to zero and clear the fallback ledger."""
    _fastnp.reset_stats()
    ledger.reset()


def eval(*arrays: Any) -> Any:
    """Compute the given arrays now, or everything pending when none is given; other values are
    ignored.

    Returns its argument, or a tuple of them if there are several.
    """
    if not arrays:
        _fastnp.flush()
        return None
    _fastnp.eval(*arrays)
    return arrays[0] if len(arrays) == 1 else arrays


for _shown in (stats, reset_stats, eval):
    _shown.__module__ = "fastnp"
