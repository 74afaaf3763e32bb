"""Entries of compiled loops whose values are numbers and arrays, in as few steps as that takes.

An entry of a loop of some ten turns takes as long as what it computes. Where code has lists,
objects, or other things that are looked at or copied at each entry, `Compiled.run` has all steps;
so it has where anything is not as it was in a run before.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from operator import itemgetter
from time import perf_counter
from typing import Any

from fastnp._loops.entry import Ended, Step
from fastnp._loops.error_modes import error_modes
from fastnp._loops.judgement import takes_long
from fastnp._loops.names import Names
from fastnp._loops.outcome import DONE
from fastnp._loops.places import MISSING, Place
from fastnp._loops.records import Record


def is_quick(compiled: Any) -> bool:
    """Whether all that an entry of a `Compiled` looks at are parameters and constants that names
    have.
    """
    return compiled.is_flat and not (
        compiled.uses_lists
        or compiled.draws
        or compiled.missing
        or compiled.constants_at_entry
        or compiled.objects
        or compiled.stored_attributes
        or compiled.closures.functions
        or compiled.closures.definitions
        or any(isinstance(find, Place) for _, find in compiled.finders)
        or sum(find is not None for _, find in compiled.finders) > 1
        or len({name in compiled.loop.local_names for name, find in compiled.finders if not find})
        > 1
    )


class Ending(Record):
    """What the code stores after its last turn: the places of values in the order of the names that
    the loop binds, and of what says whether a value is bound.
    """

    row: Callable[[list[Any]], tuple[Any, ...]]
    flags: tuple[int, ...]


class QuickEntry:
    """What an entry of such code takes."""

    __slots__ = ("at", "compiled", "constants", "endings", "find", "found", "is_global", "program")

    def __init__(self, compiled: Any) -> None:
        self.compiled, self.program = compiled, compiled.program
        # What finds a value in the source, and its place among those of names.
        self.at, self.find = 0, None
        for at, (_, find) in enumerate(compiled.finders):
            if find is not None:
                self.at, self.find = at, find
        names = [name for name, find in compiled.finders if find is None]
        self.found = together(names)
        self.is_global = bool(names) and names[0] not in compiled.loop.local_names
        self.constants = [*compiled.constants.items()]
        # By the codes that the program returns after its last turn.
        self.endings: dict[int, Ending] = {}
        for exit_, stored in zip(compiled.exits, compiled.stored, strict=True):
            at, places, flags = 1, dict[str, int](), list[int]()
            for one in stored:
                places[one.name] = at
                flags += [at + 1] * one.has_flag
                at += 1 + one.has_flag
            is_plain = all(one.is_plain for one in stored) and not exit_.iterators
            if exit_.at == DONE and is_plain and places.keys() == {*compiled.loop.binds}:
                row = together([places[name] for name in compiled.loop.binds])
                self.endings[exit_.code] = Ending(row, tuple(flags))

    def run(
        self, site: Any, local: dict[str, Any], globals_: dict[str, Any], source: Any, left: int
    ) -> Step | None:
        """Runs the loop of a site, of which so many turns are left; `None` if anything is not as it
        was: then nothing has run.
        """
        if source is None:
            if not site.is_while:
                return None
        # A run that is as long as a time slice is timed otherwise.
        elif takes_long(site, left):
            return None
        start = perf_counter()
        try:
            values = self.found(globals_ if self.is_global else local)
        except KeyError:
            return None
        if self.find is not None:
            values = (*values[: self.at], self.find(source), *values[self.at :])
        for name, known in self.constants:
            scope = local if name in site.local_names else globals_
            found = scope.get(name, MISSING)
            if found is MISSING and scope is globals_:
                found = builtins_of(globals_).get(name)
            if found is not known:
                return None
        compiled = self.compiled
        for scope, name, known in compiled.scoped_constants:
            if scope.get(name, known) is not known:
                return None
        modes, known_modes = error_modes(), compiled.known_modes
        if modes is not known_modes and modes != known_modes:
            return None
        began = perf_counter()
        ended = self.program.run(values)
        if ended is None:
            return None
        machine = perf_counter() - began
        code, stored = ended
        ending = self.endings.get(code)
        if ending is None or (ending.flags and not all(map(stored.__getitem__, ending.flags))):
            names = Names(local, globals_, site.local_names)
            outcome = self.compiled.outcome(ended, machine, names, [*values])
            if source is not None:
                outcome.iterators.setdefault(0, source)
            seconds = perf_counter() - start
            site.count_run(machine, seconds - machine, seconds, outcome.turns)
            if 2 * site.slower > site.runs:
                site.judge()
            return site.step_of(outcome, names)
        step, turns = Ended(ending.row(stored)), stored[0]
        seconds = perf_counter() - start
        site.count_run(machine, seconds - machine, seconds, turns)
        if 2 * site.slower > site.runs:
            site.judge()
        site.runs += 1
        site.turns += turns
        site.made += turns
        return step


def together(keys: Sequence[Any]) -> Callable[[Any], tuple[Any, ...]]:
    """What gives the items under some keys as a tuple."""
    if len(keys) > 1:
        return itemgetter(*keys)
    if not keys:
        return lambda items: ()
    (key,) = keys
    return lambda items: (items[key],)


def builtins_of(globals_: dict[str, Any]) -> dict[str, Any]:
    """The names that all modules have."""
    found = globals_.get("__builtins__", builtins)
    return found if isinstance(found, dict) else vars(found)
