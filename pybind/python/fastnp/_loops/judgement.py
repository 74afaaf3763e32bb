"""Whether compiled runs of a site cost more than the interpreter's turns.

What a turn takes interpreted was measured before, when the processor may have been faster: with
what else runs on its core, and with its clock, code takes up to twice as long at other times. So
the first time that runs have lost, the interpreter makes some turns once more, and is timed; only
runs that lose beside these as well count.
"""

from __future__ import annotations

from typing import Protocol

from fastnp._loops.thresholds import FEW, JUDGED, LOST, NO_TURNS, PREEMPTED, TRIAL

# Between the first loss and the entry that is interpreted; and after that.
DOUBTED, TIMED = 1, 2


class Timings(Protocol):
    """What a site counts of compiled runs, and of the interpreter's turns. `judged` are runs, turns
    and seconds up to the first loss.
    """

    runs: int
    turns: int
    seconds: float
    slower: int
    samples: int
    turn_seconds: float
    recent: tuple[float, float, float]
    pending: tuple[float, float, float]
    doubt: int
    judged: tuple[int, int, float]


def is_given_up(site: Timings) -> bool:
    """Whether the last runs of a site have lost, of which most were slower, and those before had
    lost as well.
    """
    runs, turns, seconds = site.judged
    lost = site.seconds - seconds - (site.turns - turns) * site.turn_seconds
    if site.runs - runs < JUDGED or lost <= LOST:
        return False
    if site.doubt:
        return True
    site.doubt = DOUBTED
    site.judged, site.slower = (site.runs, site.turns, site.seconds), 0
    return False


def turns_to_time(site: Timings) -> int:
    """How many turns the interpreter is to make, and to be timed, before a run; zero if none are.
    They count instead of those before.
    """
    if site.doubt != DOUBTED or not site.turn_seconds:
        return 0
    site.doubt, site.samples, site.recent, site.pending = TIMED, 0, NO_TURNS, NO_TURNS
    return max(int(TRIAL / site.turn_seconds), FEW)


def takes_long(site: Timings, left: int) -> bool:
    """Whether a run of so many turns may be as long as a time slice: then its thread's own seconds
    count.
    """
    a_turn = site.seconds / site.turns if site.turns else site.turn_seconds
    return left * a_turn > PREEMPTED
