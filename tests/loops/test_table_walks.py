"""Loops over dictionaries, sets and their views that are compiled as the outermost ones."""

from __future__ import annotations

from typing import Any

import pytest
from fastnp._loops import site as policy
from fastnp._loops.entry import Walk, is_changed, source_of

from tests.loops import test_compiled

SETUP = """
from collections import Counter, defaultdict
halves, total = {k * 7 % 101: k * 0.5 for k in range(101)}, 0
grid = {(k, k % 5): k for k in range(50)}
spots = {k * 37 % 101 for k in range(60)}
spots -= {37, 74}
tally, rows = Counter(k % 7 for k in range(30)), defaultdict(list)
for k in range(40):
    rows[k % 9].append(k)
few = {3: 4, 1: 5}
"""
WHOLE = {
    "keys": "for k in halves:\n    total += k * halves[k]\n",
    "keys of a view": "for k in halves.keys():\n    total = total * 3 % 1009 + k\n",
    "values": "for v_ in halves.values():\n    total = total * 0.5 + v_\n",
    "items, and stores to them": "for k, v_ in halves.items():\n    halves[k] = v_ * k\n",
    "an item": "for p in halves.items():\n    total += p[0] * p[1]\n",
    "tuples": "for (a, b), c in grid.items():\n    total += a * b + c\n",
    "a set": "for k in spots:\n    total = total * 3 % 1009 + k\n",
    "a set of tuples": "cells = set(grid)\nfor a, b in cells:\n    total = total * 3 % 1009 + a\n",
    "few integers as keys": "for k in few:\n    few[k] += k * 3\n    total += few[k]\n",
    "a Counter": "for k in tally:\n    tally[k] += total\n    total = total * 3 % 1001 + k\n",
    "lists": "for k, row in rows.items():\n    row.append(k)\n    total += sum(row)\n",
    "another table": "made = {}\nfor k, v_ in halves.items():\n    made[k % 10] = v_\n",
    "one after the other": """
def work(table):
    total = 0
    for k in spots:
        if k in table:
            total += k
    for k in table.keys():
        total = total * 3 % 1001 + k
        if k == 50:
            break
    else:
        total = 1
    return total
total = work(halves), work(few)
""",
    "loops inside": """
for k in halves:
    for j in spots:
        if j > k:
            total += j
            break
""",
    "attributes": """
class Store:
    def __init__(self):
        self.items = {k: k * k for k in range(40)}
    def total(self):
        found = 0
        for k, v_ in self.items.items():
            self.items[k] = v_ + 1
            found += v_
        return found
total = Store().total()
""",
}
SAME = {
    "keys that are added": """
try:
    for k in halves:
        total += 1
        if k == 70:
            halves[1000] = 5.0
except RuntimeError as error:
    print(error, k, total)
""",
    "a key that is added last": """
for last in halves:
    pass
try:
    for k in halves:
        total += k
        if k == last:
            halves[2000] = 4.0
except RuntimeError as error:
    print(error, k, total)
""",
    "keys that are removed": """
try:
    for k in spots:
        total += k
        if k % 7 == 3:
            spots.discard(k)
except RuntimeError as error:
    print(error, k, total)
""",
    "keys that are removed and added": """
for k in spots:
    total = total * 3 % 1009 + k
    if k % 7 == 3:
        spots.discard(k)
        spots.add(k)
    if k % 40 == 13:
        spots.discard(k)
        spots.add(k + 1000)
    if total % 80 == 3:
        break
try:
    for k in halves:
        if k == 21:
            del halves[7], halves[28]
            halves[7] = halves[5000] = 1.5
        total += k
except RuntimeError as error:
    print(error)
""",
    "turns that are left": """
for k in halves:
    if k % 20 == 7:
        print(k, total)
    total += k
for k, v_ in enumerate(spots):
    total += k * v_
    if v_ == 30:
        print(k)
for (a, b), c in zip(grid, spots):
    total += a * b + c
""",
    "keys and values of other types": """
for k in {"a": 1, "b": 2}:
    total += len(k)
for k in {1: "x", 2: 3}:
    total += k
for k in frozenset([1, 2, 3]):
    total += k
for k in {1, 2.5, "x"}:
    total += 1
mixed = {1: 2}
for number in range(12):
    for k, v_ in mixed.items():
        mixed[k] = v_ + 0.5
    for k in mixed.values() if number % 2 else mixed.keys():
        total += k
""",
    "a class derived from a dictionary": """
class Odd(dict):
    def __iter__(self):
        return iter([5, 6])
    def items(self):
        return [(1, 2)]
odd = Odd({7: 8})
for k in odd:
    total += k
for k, v_ in odd.items():
    total += v_
for k in odd.values():
    total += k
""",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    """The loop is compiled, never left, and agrees."""
    sites, difference = test_compiled.run(SETUP + WHOLE[name])
    test_compiled.assert_whole(sites, difference)
    for site in sites[-WHOLE[name].count("for ") :]:
        assert site.runs or site.depth, site.refusals


@pytest.mark.parametrize("name", [*WHOLE, *SAME])
@pytest.mark.parametrize("piece", [None, 0.0, 1e-5])
def test_same(name: str, piece: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program agrees, also where the interpreter begins."""
    monkeypatch.setattr(policy, "COMPILE_AFTER", 1e-6)
    for constant in ("ENTER_FROM", "SHORT", "PIECE"):
        monkeypatch.setattr(policy, constant, piece or 0)
    source = SETUP + (WHOLE | SAME)[name]
    test_compiled.assert_same(*test_compiled.run(source, is_eager=piece is None))


def walked(iterable: Any) -> Walk:
    source = source_of(iterable)
    assert isinstance(source, Walk)
    return source


def test_sources() -> None:
    """Walks are those of the table itself, and notice what is done to it."""
    table = {k: k * k for k in range(9)}
    for view in (table, table.keys(), table.values(), table.items()):
        walk = walked(view)
        first = next(iter(walk))
        rest = Walk(walk.table, walk.view, walk.iterator, 1)
        assert first == next(iter(view))
        assert walk.table is table
        assert len(rest) == 8
        assert not is_changed(rest)
        assert list(Walk.begun(table, walk.view, 1)) == list(rest)
    walk = walked(table)
    table[9] = 81
    assert is_changed(walk)
    del table[9]
    assert not is_changed(walk)
    next(iter(walk))
    walk = Walk(table, "", walk.iterator, 1)
    del table[5]
    table[5] = 25
    assert not is_changed(walk)
    del table[0]
    table[0] = 0
    assert is_changed(walk)
