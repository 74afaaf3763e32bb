"""Generators whose next words compiled loops know, and the words that are drawn for a run.

The words that a generator gives next are drawn at the entry: a tape, from which compiled code takes
numbers as the generator's methods would (`pybind/src/random/tape.rs`). At the end the generator
gets the state back that it had, and the words that were taken are drawn again. What a statement
took that is left in the middle does not count: the tape is where that statement began.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy

from fastnp import _fastnp
from fastnp._loops.places import Place
from fastnp._loops.records import Record
from fastnp._loops.tapes import IS_FRESH, POSITION, REACHED

# Words drawn for an entry at first, and at most (4 MB): each takes 2 to 5 ns, and again if taken.
FEWEST = 1 << 8
MOST = 1 << 19
# Words of a tape: see `Tape`.
PENDING, HAS_NORMAL, NORMAL = 2, 10, 11
KEPT_PENDING, KEPT_HAS_NORMAL, KEPT_NORMAL = 12, 13, 14
# Classes of NumPy's bit generators, and whether their words have 64 bits.
BIT_GENERATORS = {
    "MT19937": False,
    "PCG64": True,
    "PCG64DXSM": True,
    "Philox": True,
    "SFC64": True,
}

PYTHON, STATE, GENERATOR = "Random", "RandomState", "Generator"
PYTHON_WORDS = (PYTHON, False, False)


class Source(Record):
    """A generator: its kind, the object or where it is found, how long its words are, and whether
    arrays of its numbers are ours.
    """

    kind: str
    owner: Any
    is_wide: bool
    is_ours: bool

    def found(self, names: Mapping[str, Any]) -> Any:
        """The generator; `None` where there is another kind of object now."""
        is_place = isinstance(self.owner, Place)
        found = self.owner.found(names) if is_place else self.owner
        known = words_of(found)
        if known is None or known[:2] != (self.kind, self.is_wide):
            return None
        return None if is_place and known[2] != self.is_ours else found


def words_of(generator: Any) -> tuple[str, bool, bool] | None:
    """The kind of a generator, whether its words have 64 bits, and whether its class is ours;
    `None` of other objects.
    """
    class_ = type(generator)
    if class_ is getattr(sys.modules.get("random"), "Random", None):
        return PYTHON_WORDS
    random: Any = sys.modules.get("numpy.random")
    ours: Any = sys.modules.get("fastnp._functions.random")
    for kind in (STATE, GENERATOR):
        if any(class_ is getattr(module, kind, None) for module in (random, ours)):
            bits = type(bits_of(generator))
            is_wide = BIT_GENERATORS.get(bits.__name__)
            is_known = is_wide is not None and bits is getattr(random, bits.__name__, None)
            is_ours = class_ is getattr(ours, kind, None)
            return (kind, bool(is_wide), is_ours) if is_known else None
    return None


def bits_of(generator: Any) -> Any:
    """The bit generator of a generator of NumPy's."""
    return generator._bit_generator


def is_generator(value: object) -> bool:
    """Whether an object is a generator whose words are known."""
    return words_of(value) is not None


def are_apart(generators: Sequence[Any]) -> bool:
    """Whether generators are there, and no two of them take their words from one place."""
    if None in generators:
        return False
    places = {id(one if words_of(one) == PYTHON_WORDS else bits_of(one)) for one in generators}
    return len(places) == len(generators)


class Draws:
    """How many words are drawn from a generator for the entries of one compiled loop."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.count = FEWEST

    def end(self, drawing: Drawing, has_run: bool, turns: int = 0, left: int = 0) -> bool:
        """Has the generator be where the interpreter's would be; whether words were used up.

        `turns` were made and about so many are `left`, which says how many are drawn next time.
        """
        taken = drawing.end(has_run)
        # A statement that took more than were left has taken none, and takes as many again.
        is_over = has_run and int(drawing.tape[REACHED // 8]) > 0.9 * drawing.count
        wanted = 4 * drawing.count if is_over else 2 * taken
        if turns and left:
            wanted = max(taken * left // turns * 5 // 4, wanted if is_over else 0)
        self.count = min(max(wanted, FEWEST), MOST)
        return is_over


def begin(draws: list[Draws], names: Mapping[str, Any]) -> list[Drawing] | None:
    """Draws words from each generator; `None` where one is of another kind now, or two share their
    words.
    """
    owners = [one.source.found(names) for one in draws]
    if not are_apart(owners):
        return None
    begun: list[Drawing] = []
    try:
        for one, owner in zip(draws, owners, strict=True):
            begun.append(Drawing(one.source, owner, one.count))
    except BaseException:
        for drawing in begun:
            drawing.end(has_run=False)
        raise
    return begun


class Drawing:
    """The words of one run, which others may run beside: of another thread, or of a signal."""

    def __init__(self, source: Source, owner: Any, count: int) -> None:
        self.source, self.owner, self.count = source, owner, count
        self.tape = numpy.zeros(_fastnp.TAPE_WORDS, "l")
        self.tape[IS_FRESH // 8] = 1
        if source.kind == PYTHON:
            self.state = owner.getstate()
            self._keep_normal(owner.gauss_next)
            drawn = owner.getrandbits(32 * count).to_bytes(4 * count, "little")
            self.words = numpy.frombuffer(drawn, "<u4").astype("L")
        else:
            self.state = self._state_of_numpy()
            self._set_state()
            self.words = bits_of(owner).random_raw(count)
        is_of_numpy = source.kind != PYTHON
        _fastnp.random_tape(self.tape, self.words, source.is_wide, is_of_numpy)

    def end(self, has_run: bool) -> int:
        """Has the generator be behind the words that were taken; how many these are."""
        taken = int(self.tape[POSITION // 8]) if has_run else 0
        if self.source.kind == PYTHON:
            self.owner.setstate(self.state)
            if taken:
                self.owner.getrandbits(32 * taken)
            if has_run:
                self.owner.gauss_next = self._kept_normal()
        else:
            self._end_of_numpy(taken, has_run)
        return taken

    def _state_of_numpy(self) -> dict[str, Any]:
        if self.source.kind == STATE:
            plain = getattr(self.owner, "_plain", self.owner)
            return dict(plain.get_state(legacy=False))
        return dict(bits_of(self.owner).state)

    def _set_state(self) -> None:
        """Has the tape go on with half a word, or a normal number, that the generator keeps."""
        state = self.state
        if self.source.is_wide:
            half = int(state["uinteger"])
            self.tape[PENDING] = half if state["has_uint32"] else ~half
        self._keep_normal(state["gauss"] if state.get("has_gauss") else None)

    def _keep_normal(self, kept: float | None) -> None:
        """Has the tape go on with the second of two normal numbers, which a generator keeps."""
        if kept is not None:
            self.tape[HAS_NORMAL] = 1
            self.tape.view("d")[NORMAL] = kept

    def _kept_normal(self) -> float | None:
        """The normal number that is kept at the end; a statement left in the middle took none."""
        is_whole = self.tape[IS_FRESH // 8]
        has_normal, normal = (HAS_NORMAL, NORMAL) if is_whole else (KEPT_HAS_NORMAL, KEPT_NORMAL)
        return float(self.tape.view("d")[normal]) if self.tape[has_normal] else None

    def _end_of_numpy(self, taken: int, has_run: bool) -> None:
        state, tape, bits = dict(self.state), self.tape, bits_of(self.owner)
        # A statement that was left in the middle has drawn nothing.
        pending = PENDING if tape[IS_FRESH // 8] else KEPT_PENDING
        if has_run and "has_gauss" in state:
            kept = self._kept_normal()
            state["has_gauss"], state["gauss"] = (
                int(kept is not None),
                0.0 if kept is None else kept,
            )
        if self.source.kind == STATE:
            getattr(self.owner, "_plain", self.owner).set_state(state)
        else:
            bits.state = state
        if taken:
            bits.random_raw(taken, False)
        if has_run and self.source.is_wide:
            now, half = dict(bits.state), int(tape[pending])
            now["has_uint32"], now["uinteger"] = int(half >= 0), half if half >= 0 else ~half
            bits.state = now
