"""What the compiler gives: a compiled loop, the outcome of a run of it, or a refusal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from fastnp._loops.records import Record

# Outcome.at of a run that did not end in the middle: all turns are made, or `break` was met.
DONE = -1
BROKE = -2


class Refusal(Record):
    """Why a loop is not compiled: the line at fault and the reason."""

    line: int
    reason: str


# The reason of a refusal that other types would not change.
TOO_LONG = "too many statements, or combinations of types"


class Outcome:
    """How a compiled run ended.

    `at` is `DONE`, `BROKE`, or the number of a statement of `Loop.statements`: of the turn that
    was being made, all before it has happened and nothing of it; 0 is the head of the loop.
    `values` are the names that the run has bound, `unbound` those that are unbound now and may
    have been bound before. `iterators` holds, for the loop (0) and for the inner `for` statements
    that `at` lies in, by number, what the turns after this one iterate over: a range, or a source
    of `entry`. `turns` counts those of the loop itself, `reason` says why `at` was left. `error`,
    if any, is raised at the line of the loop once the names are stored.
    """

    __slots__ = (
        "at",
        "error",
        "iterators",
        "made",
        "pauses",
        "reason",
        "seconds",
        "turns",
        "unbound",
        "values",
    )

    def __init__(
        self,
        at: int = DONE,
        values: dict[str, Any] | None = None,
        unbound: tuple[str, ...] = (),
        iterators: dict[int, Iterable[Any]] | None = None,
        turns: int = 0,
        reason: str = "",
        error: BaseException | None = None,
    ) -> None:
        self.at = at
        self.values = values or {}
        self.unbound = unbound
        self.iterators = iterators or {}
        self.turns = turns
        self.reason = reason
        self.error = error
        # Seconds in machine code, without what copies lists and makes objects.
        self.seconds = 0.0
        # The statements whose functions are to be made.
        self.made: tuple[int, ...] = ()
        # Whether it was left for want of memory or of random numbers, which the next run has.
        self.pauses = False


class Compiled(Protocol):
    """A loop compiled for the types of the names that it uses."""

    copies_lists: bool
    # Whether the last run was refused because of what an object or a name is, not of its type.
    is_for_others: bool
    # An entry in few steps, if that is all that the code takes.
    quick: Any

    def run(self, names: Any, source: Any) -> Outcome | None:
        """Run the loop from its head on, until it ends or is left.

        `source` is one of `entry`, or None for `while`. None if the code is not for values such as
        these; nothing has run then.
        """

    def describe(self) -> str:
        """The types and the code, for `fastnp.explain`; the first line stands in the report."""
