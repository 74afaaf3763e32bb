"""Looking at the engine from a program: its counters and pending arrays."""

from __future__ import annotations

from typing import Any

from fastnp import _fastnp, _ledger


class Stats(dict[str, int]):
    """Counters by name; prints as a table."""

    def __repr__(self) -> str:
        if not self:
            return "no counters"
        width = max(map(len, self))
        return "\n".join(f"{name:<{width}}  {count:>14,}" for name, count in self.items())


def stats() -> Stats:
    """The engine's counters since the start or `reset_stats`, and `fallbacks`, the number of runs
    in NumPy.
    """
    return Stats({**_fastnp.stats(), "fallbacks": _ledger.total()})


def reset_stats() -> None:
    """Set every counter to zero and forget the fallbacks."""
    _fastnp.reset_stats()
    _ledger.reset()


def eval(*arrays: Any) -> Any:
    """Compute the given arrays now, or everything pending when none is given; other values are
    left alone.

    Returns its argument, or the tuple of them.
    """
    if not arrays:
        _fastnp.flush()
        return None
    _fastnp.eval(*arrays)
    return arrays[0] if len(arrays) == 1 else arrays


for _shown in (stats, reset_stats, eval):
    _shown.__module__ = "fastnp"
