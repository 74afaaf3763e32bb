"""What the random programs of `numeric` do with strings."""

from __future__ import annotations

from typing import Protocol

SETUP = """\
names, ages = ["ann", "bob", "n", "eve", "ann", "x", "bob"], {"ann": 3, "bob": 5, "x": -1, "n": 0}
routes, tags = {"ann": ["bob", "x"], "bob": ["n"], "n": [], "x": ["ann"]}, {"ann", "y"}
board = [[".", "#", "."], ["#", "#", "x"], [".", ".", "."]]
spoken = {}
class Talker:
    def __init__(self, k):
        self.word, self.heard = names[k], {}
    def hear(self, one):
        self.heard[one] = self.heard.get(one, 0) + 1
        self.word = one
        return self.heard[one]
talkers = [Talker(k) for k in range(5)]
def tagged(one):
    if one in tags:
        tags.discard(one)
        return 1
    tags.add(one)
    return ages.get(one, 2)
"""


class Writer(Protocol):
    """The part of the writer that is used here."""

    def pick(self, *choices: str) -> str: ...
    def index(self) -> str: ...


def word(w: Writer) -> str:
    """A string as a whole."""
    i, j = w.index(), w.index()
    return w.pick(
        "way", "way", f"names[{i}]", f"talkers[{i}].word", f"board[{i}][{j}]", "'ann'", "'x'", "ch"
    )


def of_words(w: Writer) -> str:
    """A statement about strings as wholes."""
    i, j, one, other = w.index(), w.index(), word(w), word(w)
    some = w.pick("ages", "spoken", f"talkers[{i}].heard")
    return w.pick(
        f"way = {one}",
        f"way = {w.pick(f'names[{i}]', f'board[{i}][{j}]', 'talkers[0].word')}",
        f"{some}[{one}] = {w.pick(i, 'a', f'len({some})')}",
        f"{some}[{one}] = {some}.get({one}, 0) + 1",
        f"if {one} in {some}: {some}[{one}] += {i}",
        f"s += {some}.get({one}, {i})",
        f"c = ages[{one}]",
        f"{some}.setdefault({one}, {i})",
        f"if {one} in {some}: del {some}[{one}]",
        f"for way in {w.pick('names', 'ages', f'routes[{one}]')}: s += {some}.get(way, 1)",
        f"for way, b in {some}.items(): s += b + (way {w.pick('==', '!=')} {other})",
        f"if {one} {w.pick('==', '!=')} {other}: s += 1",
        f"if {one} {w.pick('in', 'not in')} {w.pick('names', 'tags', 'board[1]')}: s += 1",
        f"if {one} in ('ann', 'x', '.'): c = {i}",
        f"tags.{w.pick('add', 'discard', 'discard')}({one})",
        f"names[{i}] = {one}",
        f"names.append({one})",
        "if len(names) > 9: way = names.pop()",
        f"board[{i}][{j}] = {w.pick(one, repr('#'), repr('.'))}",
        f"routes[{one}].append({other})",
        f"routes[{one}] = [{other}, 'n']",
        f"talkers[{i}].word = {one}",
        f"s += talkers[{i}].hear({one})",
        f"s += tagged({one})",
        f"if talkers[{i}].word == {one}: talkers[{j}].word = {other}",
        f"spoken = {w.pick('{}', 'dict(ann=1)', '{e: 1 for e in names}', repr({'x': 1, 'y': 2}))}",
        f"c = sum(1 for e in names if e == {one})",
        f"X = [{one}, {other}] * 2",
        f"way = {one} if {i} > {j} else {other}",
        f"way = {w.pick('min', 'max')}({w.pick('names', 'ages')})",
        f"print({one}, {w.pick('names', 'spoken', 'ages', 'sorted(tags)')})",
        f"s += len({w.pick('names', 'tags', 'ages', 'way', 'spoken')})",
    )  # fmt: skip


def statement(w: Writer) -> str:
    """What is done with strings."""
    if w.pick("words", "words", "characters") == "words":
        return of_words(w)
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
