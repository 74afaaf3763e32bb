"""Operations on whole sets and dictionaries, and `setdefault`, in compiled loops."""

from __future__ import annotations

import pytest
from fastnp._loops import heap

from tests.loops import test_compiled
from tests.loops.test_tables import SETUP

WHOLE = {
    "lists by setdefault": """
d = {}
for i in range(60):
    d.setdefault(i * i % 7, []).append(i)
""",
    "sets by setdefault": """
d = {}
for i in range(60):
    d.setdefault((i % 7, i % 3), set()).add(i)
    d.setdefault((i % 5, 9), set()).add(len(d))
""",
    "numbers by setdefault": """
d = {}
for i in range(60):
    c += d.setdefault(i % 7, i * 2)
    total = d.setdefault(i % 9, total + 1)
    d.setdefault(i % 11, 5)
    counts.setdefault(i, c)
""",
    "setdefault in a function": """
def grouped(a, b):
    made = {}
    for k in range(a):
        made.setdefault(k % b, []).append(k * a)
    return made
for i in range(1, 20):
    o = grouped(i, 3)
    c += len(o)
print(o)
""",
    "new sets": """
for i in range(60):
    a = spots & near[i % 9]
    b = near[i % 9] - links[3]
    for k in near[i % 9] & spots:
        c = c * 3 % 1009 + k
    near[(i + 1) % 9].add(i * 8)
    links[i % 20].add(i * 37)
    if links[i % 20] & spots:
        c += 1
    total += len(a) - len(b)
print(a, b)
""",
    "methods that make sets": """
for i in range(30):
    a = near[i % 9].intersection(near[i * 2 % 9])
    b = near[i % 9].difference(spots)
    c += len(a) * 10 + len(b)
print(a, b)
""",
    "counts": """
for i in range(9):
    c += len(spots & near[i]) + len(spots - near[i]) * 10 + len(spots | near[i]) * 7
    c += len(spots ^ near[i]) + len(cells & {(0, 1), (5, 5), (i, i)})
    total += len(spots & spots) + len(spots - spots)
""",
    "tests": """
for i in range(9):
    c += near[i].issubset(spots) + near[i].isdisjoint(spots) * 3
    c += spots.issuperset(near[i]) * 5 + spots.issubset(spots)
""",
    "sets that are changed": """
for i in range(9):
    spots |= {i, 3 * i, i * i * 8, i * 37}
    spots -= near[i]
    spots.update([i + 3, i + 5])
    spots.difference_update({i, 100 - i})
""",
    "updates of dictionaries": """
for i in range(9):
    counts.update({i: 3, i + 1: 4})
    counts.update(many)
    many.update({i: c})
    c += len(counts)
""",
}
SAME = {
    "a default that raises": """
d = {}
try:
    for i in range(9):
        d.setdefault(i % 2, L[i])
except IndexError as error:
    print(error, i, d)
""",
    "other defaults": """
for i in range(9):
    counts.setdefault(len(counts), i)
    counts.setdefault(counts[3] + i, i)
    counts.setdefault(i, len(counts))
    x[len(counts) % 8] += counts.setdefault(i + 50, 3)
    x[len(counts) % 8] = counts.setdefault(i + 60, 3)
def note(k):
    print("made", k)
    return k
def mine():
    print("mine")
    return 3
d, q = {}, {}
for i in range(9):
    d.setdefault(i % 3, note(i))
    d.setdefault(i % 4, 0.5 if i == 7 else i)
for i in range(9):
    q.setdefault(i % 3, []).append(i / 2)
    q.setdefault(i % 4, [])
set_ = set
set = mine
for i in range(4):
    d.setdefault(i + 20, set())
del set
for i in range(9):
    hits.setdefault(i, 3)
    groups.setdefault(i % 4, []).append(i)
    tally.setdefault(i, 3)
    tally.update({i: 2})
""",
    "keys that are added while a loop is open": """
try:
    for i in range(9):
        for k in counts:
            counts.setdefault(k + i // 7, 3)
except RuntimeError as error:
    print(error, counts)
try:
    for i in range(9):
        for k in spots:
            spots |= {k, k + i // 7}
except RuntimeError as error:
    print(error, spots)
""",
    "sets that grow, are empty, or the same": """
seen = set()
for i in range(200):
    seen |= {i, i * 7 % 90}
    seen |= near[i % 9]
for k in seen:
    c = c * 3 % 1009 + k
other_ = set()
for i in range(9):
    other_ |= spots
    spots |= spots
    other_ -= near[i]
    other_ |= seen
print(seen, other_)
seen -= seen
for i in range(9):
    other_ -= other_ if i == 7 else {i}
    other_ |= {i}
print(seen, other_)
""",
    "other operators and types": """
for i in range(9):
    o = spots | near[i]
    o = spots ^ near[i]
    spots &= {*range(60)}
    spots ^= {i}
for i in range(9):
    o = cells & {(i, 1)}
    o = spots & cells
    o = cells - {i}
named = frozenset([1, 2])
for i in range(9):
    c += len(spots & named)
""",
    "items of lists and attributes": """
table.seen |= {(1, 1)}
for i in range(9):
    links[i] |= near[i]
    near[i] -= spots
    table.seen |= {(i, 2)}
    table.seen -= {(1, i)}
    c += len(table.seen & cells)
print(links, near, table.seen, links[3] is other)
""",
    "functions that change sets": """
def spread(k):
    links[k].update({k, 3})
    nets[k] |= spots
    return len(links[k])
for i in range(9):
    c += spread(i)
""",
    "a list of a set of Python's and NumPy's integers": """
seen, listed = set(), []
for i in range(9):
    if i % 3 != 2:
        seen.update([-1, np.int64(i)])
    else:
        listed = list(seen)
print(seen, listed, [type(k).__name__ for k in listed])
""",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    """The loop is compiled, never left, and agrees."""
    test_compiled.assert_whole(*test_compiled.run(SETUP + WHOLE[name]))


@pytest.mark.parametrize("name", [*WHOLE, *SAME])
@pytest.mark.parametrize("made", [heap.MADE, 12, 60])
def test_same(name: str, made: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program agrees, also where there is little memory."""
    monkeypatch.setattr(heap, "MADE", made)
    monkeypatch.setattr(heap, "MADE_WITH_TABLES", 1)
    shown = "\nprint(spots, counts, cells, links, near)\n"
    test_compiled.assert_same(*test_compiled.run(SETUP + (WHOLE | SAME)[name] + shown))
