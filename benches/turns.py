"""Timing several modules in alternating order, and ratios of the times."""

from __future__ import annotations

from collections.abc import Callable, Mapping

# Seconds a call, by module.
Times = dict[str, float]


def take_turns(measures: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """The measurements of each in so many rounds. The order alternates (B A A B), so that a drift
    of the machine's speed affects all equally.
    """
    found: dict[str, list[float]] = {name: [] for name in measures}
    for turn in range(rounds):
        for name in list(measures)[:: 1 if turn % 2 else -1]:
            found[name].append(measures[name]())
    return found


def ratio(times: Times) -> float:
    """The speed-up of fastnp over NumPy."""
    return times["numpy"] / times["fastnp"]
