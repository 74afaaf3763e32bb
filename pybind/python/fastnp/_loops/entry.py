"""What a `for` loop iterates over, described so that compiled code can go on with it, and the
pieces that the interpreter takes of it.

A source is a range, or one of the classes here; each can be iterated from where it stands. Other
iterables, such as generators, have no source: their loops are never compiled, and nothing of ours
calls their methods.
"""

from __future__ import annotations

import gc
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from operator import is_, itemgetter, length_hint
from typing import Any, Protocol

import numpy as _np

from fastnp._fastnp import ndarray

__all__ = ["Enumeration", "Rest", "Turns", "Walk", "Zip", "advance", "source_of"]


class Rest:
    """The elements of a list, a tuple, a string or an array from number `taken` on."""

    __slots__ = ("sequence", "taken")

    def __init__(self, sequence: Any, taken: int = 0) -> None:
        self.sequence = sequence
        self.taken = taken

    def __len__(self) -> int:
        return max(len(self.sequence) - self.taken, 0)

    def __iter__(self) -> Iterator[Any]:
        if not self.taken:
            return iter(self.sequence)
        if isinstance(self.sequence, (list, tuple)):
            rest = iter(self.sequence)
            rest.__setstate__(self.taken)  # type: ignore[attr-defined]
            return rest
        return iter(self.sequence[self.taken :])


class Enumeration:
    """What is left of an `enumerate`: a source, and the number of its first element."""

    __slots__ = ("source", "start")

    def __init__(self, source: Source, start: int = 0) -> None:
        self.source = source
        self.start = start

    def __len__(self) -> int:
        return len(self.source)

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        return enumerate(self.source, self.start)


class Zip:
    """What is left of a `zip` of sources."""

    __slots__ = ("sources",)

    def __init__(self, *sources: Source) -> None:
        self.sources = sources

    def __len__(self) -> int:
        return min(map(len, self.sources), default=0)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return zip(*self.sources)


# The classes of dictionaries and sets.
TABLE_CLASSES: frozenset[type] = frozenset([dict, set, defaultdict, Counter])
# The classes of their views, and the methods that make these.
VIEWS: dict[type, str] = {
    type({}.keys()): "keys",
    type({}.values()): "values",
    type({}.items()): "items",
}


class Walk:
    """What is left of a dictionary, a set or a view: `view` is the name of the method that makes
    it, or empty. `iterator` is Python's, which notices keys that are added or removed; `taken`
    counts the items that it has given.
    """

    __slots__ = ("iterator", "table", "taken", "view")

    def __init__(self, table: Any, view: str, iterator: Iterator[Any], taken: int = 0) -> None:
        self.table, self.view = table, view
        self.iterator, self.taken = iterator, taken

    @classmethod
    def begun(cls, table: Any, view: str, taken: int) -> Walk:
        """A walk over a table, after so many items."""
        iterator = iter(getattr(table, view)() if view else table)
        next(islice(iterator, taken, taken), None)
        return cls(table, view, iterator, taken)

    def __len__(self) -> int:
        return length_hint(self.iterator)

    def __iter__(self) -> Iterator[Any]:
        return self.iterator

    def is_as_begun(self) -> bool:
        """Whether a new iterator, after as many items, would give what this one is about to. It may
        not if keys were added and removed since.
        """
        if len(self) != len(self.table) - self.taken:
            return False
        if not self.taken:
            return True
        try:
            # The items to come, without taking them.
            made: tuple[Any, ...] = self.iterator.__reduce__()  # type: ignore[assignment]
        except RuntimeError:  # which the iterator will raise, too
            return False
        (rest,) = made[1]
        others: Iterator[Any] = Walk.begun(self.table, self.view, self.taken).iterator
        if self.view == "items":
            rest, others = map(itemgetter(0), rest), map(itemgetter(0), others)
        return all(map(is_, rest, others))


Source = range | Rest | Enumeration | Zip | Walk
# Arrays, of NumPy's class and ours.
ARRAYS: frozenset[type] = frozenset([ndarray, _np.ndarray])
# Types of iterables that have a length, and a source.
SIZED: frozenset[type] = frozenset([range, list, tuple, str, *TABLE_CLASSES, *VIEWS])


class Turns(islice):
    """A number of turns for the interpreter: a part of `rest`, after which the loop asks again.

    `source` describes the loop from the beginning of these turns on; it is None for `while` and for
    what has no source. `count` turns are made here, `left` come after them; `began` is when the
    interpreter began with them, `machine` the seconds that compiled loops had run before.
    """

    __slots__ = ("began", "count", "left", "machine", "rest", "source")
    rest: Iterable[Any]
    source: Source | None
    count: int
    left: int
    began: float
    machine: float


class Objects(Protocol):
    """The objects that stand for the words which compiled code stores where it is left, and those
    that names are bound to.
    """

    names: dict[str, Any]

    def object_of(self, type_: Any, stored: list[Any]) -> Any: ...


def source_of(iterable: Any) -> Source | None:
    """The source that a fresh iterable, or what a compiled run has left of one, stands for."""
    describe = _DESCRIBED.get(type(iterable))
    return None if describe is None else describe(iterable)


def advance(source: Source, count: int) -> Source:
    """The source after `count` of its elements."""
    if not count:
        return source
    if isinstance(source, range):
        return source[count:]
    if isinstance(source, Rest):
        return Rest(source.sequence, source.taken + count)
    if isinstance(source, Walk):
        return Walk(source.table, source.view, source.iterator, source.taken + count)
    if isinstance(source, Enumeration):
        return Enumeration(advance(source.source, count), source.start + count)
    return Zip(*(advance(part, count) for part in source.sources))


def beginning(source: Source, count: int) -> Source:
    """The first `count` elements of a source, which is no `Walk`."""
    assert not isinstance(source, Walk)
    if isinstance(source, range):
        return source[:count]
    if isinstance(source, Rest):
        return Rest(source.sequence[: source.taken + count], source.taken)
    if isinstance(source, Enumeration):
        return Enumeration(beginning(source.source, count), source.start)
    return Zip(*(beginning(part, count) for part in source.sources))


def is_changed(source: Source | None) -> bool:
    """Whether keys of a table were added or removed since the loop over it began."""
    return isinstance(source, Walk) and not source.is_as_begun()


def may_change(source: Source) -> bool:
    """Whether it iterates over a list or a table, which may change meanwhile."""
    if isinstance(source, Rest):
        return isinstance(source.sequence, list)
    if isinstance(source, Enumeration):
        return may_change(source.source)
    if isinstance(source, Zip):
        return any(map(may_change, source.sources))
    return isinstance(source, Walk)


def _described(source: Any) -> Any:
    return source


def _described_array(array: Any) -> Rest | None:
    return Rest(array) if array.ndim else None


def _described_table(table: Any) -> Walk:
    return Walk(table, "", iter(table))


def _described_view(view: Any) -> Walk | None:
    (table,) = gc.get_referents(view)
    return Walk(table, VIEWS[type(view)], iter(view)) if type(table) in TABLE_CLASSES else None


def _described_enumerate(iterator: Any) -> Enumeration | None:
    if _count_enumerated(iterator) > _ENUMERATED:
        return None
    inner, start = iterator.__reduce__()[1]
    source = _started(inner)
    return None if source is None else Enumeration(source, start)


def _described_zip(iterator: Any) -> Zip | None:
    sources = []
    for part in iterator.__reduce__()[1]:
        source = None if sys.getrefcount(part) > _ZIPPED else _started(part)
        if source is None:
            return None
        sources.append(source)
    return Zip(*sources) if sources else None


def _started(iterator: Any) -> Source | None:
    """The source of an iterator that a `zip` or an `enumerate` holds, nobody else."""
    kind = type(iterator)
    if kind is enumerate:
        return _described_enumerate(iterator)
    if kind is zip:
        return _described_zip(iterator)
    if kind not in _ITERATORS:
        return None
    make, arguments, *taken = iterator.__reduce__()
    source = source_of(arguments[0]) if make is iter else None
    return None if source is None else advance(source, (taken and taken[0]) or 0)


# Iterators whose `__reduce__` names the sequence and the number of elements taken.
_ITERATORS: frozenset[type] = frozenset(
    map(
        type,
        (
            iter(range(0)),
            iter([]),
            iter(()),
            iter("a"),
            iter("\u03b1"),
            iter(_np.empty(1)),
            iter(ndarray(1)),
        ),
    )
)
_DESCRIBED: dict[type, Callable[[Any], Source | None]] = {
    range: _described,
    list: Rest,
    tuple: Rest,
    str: Rest,
    ndarray: _described_array,
    _np.ndarray: _described_array,
    enumerate: _described_enumerate,
    zip: _described_zip,
    **dict.fromkeys(TABLE_CLASSES, _described_table),
    **dict.fromkeys(VIEWS, _described_view),
    Walk: _described,
    Rest: _described,
    Enumeration: _described,
    Zip: _described,
}


def _count_enumerated(iterator: Any) -> int:
    inner, _ = iterator.__reduce__()[1]
    return sys.getrefcount(inner)


def _count_zipped(iterator: Any) -> int:
    for part in iterator.__reduce__()[1]:
        return sys.getrefcount(part)
    return 0


# An iterator that the program holds as well has one reference more than one that a fresh `zip` or
# `enumerate` alone has: the program must see what the loop takes from it.
_ENUMERATED = _count_enumerated(enumerate(chain([0])))
_ZIPPED = _count_zipped(zip(chain([0])))


def is_held(iterable: Any) -> bool:
    """Whether the program has another reference to a `zip` or an `enumerate`, and can go on with it
    after the loop. The calls that lead here hold one each: `Site.enter` and `Site._first_turns`.
    """
    return type(iterable) in (enumerate, zip) and sys.getrefcount(iterable) > _FRESH


def _in_first_turns(iterable: Any) -> int:
    return _in_is_held(iterable)


def _in_enter(iterable: Any) -> int:
    return _in_first_turns(iterable)


def _in_is_held(iterable: Any) -> int:
    return sys.getrefcount(iterable)


def _references_of_fresh() -> int:
    """How many references there are in `is_held` to an iterator that only the loop refers to."""
    iterable = zip(chain([0]))
    return _in_enter(iterable)


_FRESH = _references_of_fresh()


NOTHING: frozenset[Any] = frozenset()


class Step:
    """What the rewritten code does after a compiled run, or an attempt at one.

    `row` are the values of the names that the loop binds, in their order; it is None if nothing
    was run. `at` is the statement to go on with, if the run was left in the middle of a turn.
    Else `rest` is what to iterate over; None after the last turn, False after `break`.
    """

    __slots__ = ("at", "error", "iterators", "made", "rest", "row", "unbound")

    def __init__(self, rest: Any = None) -> None:
        self.row: tuple[Any, ...] | None = None
        self.unbound: frozenset[str] = NOTHING
        # The statements whose functions are to be made again.
        self.made: frozenset[int] = NOTHING
        self.at: float | None = None
        self.rest = rest
        self.iterators: dict[int, Iterable[Any]] = {}
        self.error: BaseException | None = None

    def take(self) -> tuple[Any, ...] | None:
        """The row, which is not kept: values live as long as the program wants them."""
        row, self.row = self.row, None
        return row

    def take_error(self) -> BaseException | None:
        """The error, which is not kept."""
        error, self.error = self.error, None
        return error


class Ended(Step):
    """What is done after the last turn, where all names are bound: all but the row is known."""

    __slots__ = ()
    unbound = made = NOTHING
    at = rest = error = None

    def __init__(self, row: tuple[Any, ...]) -> None:
        self.row = row
