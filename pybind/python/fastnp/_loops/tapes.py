"""The tapes of random words that compiled code takes numbers from, one for each generator.

The words in memory are laid out as `Tape` in `pybind/src/random/tape.rs`. How many were taken is in
registers; an exit stores those of before its statement.
"""

from __future__ import annotations

from collections.abc import Callable

from fastnp._loops.records import Record
from fastnp._loops.text import Text
from fastnp._loops.types import I64

# Among what is learned of a loop, the generators of random numbers; no variable's name.
DRAWS = "random()"
# Bytes of a tape before some of its words.
POSITION, EXHAUSTED, PARAMETERS, WORDS, COUNT, IS_FRESH, REACHED = 8, 24, 32, 56, 64, 72, 128


class Tape(Record):
    """The number of its parameter, and registers: its address, that of its words, their number, and
    how many were taken, also before the current statement.
    """

    parameter: int
    base: str
    words: str
    length: str
    drawn: str
    drawn_before: str


def of_parameter(text: Text, entry: list[str], parameter: int, base: str) -> Tape:
    """The tape at an address that the entry, to which lines are added, is given."""
    words, length = text.register(I64, "words"), text.register(I64, "length")
    drawn, before = (text.named(f"{name}{parameter}", I64) for name in ("drawn", "drawn_before"))
    entry += [
        f"{words} = load.i64 {base}, {WORDS}",
        f"{length} = load.i64 {base}, {COUNT}",
        f"{drawn} = load.i64 {base}, {POSITION}",
    ]
    return Tape(parameter, base, words, length, drawn, before)


def begin_statement(text: Text, tapes: list[Tape]) -> None:
    """What the statements before have drawn is drawn, wherever the loop is left from here."""
    for tape in tapes:
        text.line(f"{tape.drawn_before} = copy {tape.drawn}")
        text.line(f"store.i64 {tape.base}, {IS_FRESH}, {text.integer(1)}")


def at_exit(integer: Callable[[int], str], tapes: list[Tape], is_over: bool) -> list[str]:
    """The lines of an exit, which is left before a statement or with all turns over."""
    lines: list[str] = []
    for tape in tapes:
        taken = tape.drawn if is_over else tape.drawn_before
        lines.append(f"store.i64 {tape.base}, {POSITION}, {taken}")
        lines.append(f"store.i64 {tape.base}, {REACHED}, {tape.drawn}")
        if is_over:
            lines.append(f"store.i64 {tape.base}, {IS_FRESH}, {integer(1)}")
    return lines
