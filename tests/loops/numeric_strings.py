"""What the random programs of `numeric` do with strings."""

from __future__ import annotations

from typing import Protocol


class Writer(Protocol):
    """The part of the writer that is used here."""

    def pick(self, *choices: str) -> str: ...
    def index(self) -> str: ...


def statement(w: Writer) -> str:
    """What is done with strings."""
    i, j, one = w.index(), w.index(), w.pick("text", "word")
    other = w.pick("word[1]", repr("k"), "ch")
    kind = w.pick("isdigit", "isalpha", "isspace", "isupper", "islower", "isalnum")
    return w.pick(
        f"if text[{i}] == word[{j}]: s += 1",
        f"if text[{i}] {w.pick('!=', '<', '>=')} {other}: s += 1",
        f"ch = {one}[{i}]",
        f"ch = {one}[{i}]",
        "a = ord(ch) % 7",
        f"ch = chr(97 + {i})",
        f"for ch in {one}: s += ch {w.pick('in', 'not in')} 'aeiou'",
        f"for a, ch in enumerate({one}): s += ord(ch) - a",
        f"for ch, b in zip({one}, u): s += b",
        f"if ch.{kind}(): s += 2",
        "if ch.isdigit(): s += int(ch)",
        "ch = ch.upper()",
        "b = len(text) - len(word)",
        f"if ch == {w.pick(repr('xy'), repr('x'), repr(''))}: s += 1",
        f"if {one} == 'jumpy fox 7!': s += 1",
    )  # fmt: skip
