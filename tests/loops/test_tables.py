"""Dictionaries and sets under keys that the program computes, in compiled loops."""

from __future__ import annotations

import random
from typing import Any

import pytest
from fastnp import _fastnp
from fastnp._loops import heap, set_order

from tests.loops import test_compiled

SETUP = """
from collections import Counter, defaultdict
tally, hits, sums = Counter([3, 3, 5]), defaultdict(int), defaultdict(float)
groups, nets = defaultdict(list), defaultdict(set)
links, near = [set() for k in range(20)], {k: {k, k + 1} for k in range(9)}
named, other = [{k: 0.5} for k in range(5)], links[3]
def link(a, b):
    nets[a].add(b)
    nets[b].add(a)
    return len(nets)
def put(k, p):
    groups[k].append(p)
    groups[k + 1].append(p)
    hits[k] += p
    return p
def edges(size):
    made = defaultdict(list)
    for k in range(size):
        made[k % 5].append(k)
        made[k * 7 % 5].append(k)
    return made
counts, halves, empty = {3: 5, 1: -2, 40: 0}, {k * 5 % 7: k * 0.5 for k in range(7)}, {}
same = counts
flags, pairs = {k: k % 3 == 0 for k in range(9)}, {(0, 1): (2, 0.5), (1, 1): (0, 1.5)}
mixed, whole = {1: 2, 2: 0.5}, {np.int64(k): k for k in range(4)}
graph = {k: [(k * 3 + 1) % 20, k * 7 % 20] for k in range(20)}
spots, cells = {k * 37 % 101 for k in range(40)}, {(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)}
spots -= {37, 74, 10, 5}
many = {k * 7 % 500: k for k in range(500)}
far = {1 << 62, -(1 << 63), 1 << 61, 7}
c, total = 0, 0
class Table:
    def __init__(self):
        self.found, self.seen = {}, set()
    def at(self, k):
        if k in self.found:
            return self.found[k]
        self.found[k] = k * k
        self.seen.add((k, k % 3))
        return -1
table = Table()
def visit(k):
    if k in spots:
        spots.discard(k)
        return 0
    spots.add(k)
    spots.add(k * 8 + 1)
    counts[k] = counts.get(k, 0) + 1
    if k % 5 == 0 and k in halves:
        del halves[k]
    return 1
def squares(n):
    made = {}
    for k in range(n):
        made[k * 3 % 7] = k * k
    return made
def around(p, size):
    return {(p + k, k) for k in range(size)}
"""
WHOLE = {
    "counts": """
for i in range(n * 5):
    counts[i * 7 % 11] = counts.get(i * 7 % 11, 0) + 1
    empty[i % 3] = empty.get(i % 3, 0.5) * 2
    same[i] = len(counts)
    if i in same:
        counts[i] += i
    if not i * 3 in counts:
        c += 1
    mixed[i % 2 + 1] = mixed[i % 2 + 1] + 1
    flags[i % 9] = not flags[i % 9]
    c += flags[i % 5] + flags.get(-i, False)
    many[i * 3] = many.get(i * 3, -1) + many[i]
""",
    "tuples as keys and as values": """
for i in range(9):
    for j in range(9):
        if i > 0 and j > 0:
            empty[i, j] = empty[i - 1, j] + empty[(i, j - 1)]
        else:
            empty[(i, j)] = 1
        pairs[(i, j % 3)] = (j, i * 0.5)
        key = (i, j)
        if key in pairs and (j, i) not in pairs:
            p, q = pairs[key]
            c += p * q
            c += pairs[key][1] - pairs.get((i, 50), (7, 0.25))[1]
""",
    "sets": """
for i in range(300):
    k = i * i % 1009
    if k in spots:
        spots.remove(k)
        c += 1
    elif k not in spots:
        spots.add(k)
    spots.discard(i)
    cells.add((i % 5, -i))
    cells.discard((i % 5, 3 - i))
    far.add(-i * (1 << 40))
    if spots and len(spots) > 50 and not empty:
        total += len(spots)
""",
    "those made in turns": """
for i in range(20):
    made, found, seen = {}, {i: 0.5, i + 1: 1.5}, set()
    other = {i, 3, c}
    for j in range(i):
        made[j % 5] = 0.5 * j
        seen.add((j, j * j % 7))
        found[j] = found.get(j, 2.5) + j
        other.add(j * 8)
    seen.discard((1, 1))
    c += len(made) + len(seen) + (3 in other)
    made = found
last = made is found
""",
    "a walk over sets in Python's order": """
for i in range(8):
    seen, order = set(), []
    for k in spots:
        order.append(k)
        if k % 3 == 0:
            seen.add(k * 37 + i)
    for k in order:
        if k % 4 == i % 4:
            spots.discard(k)
            spots.add(k * 5 + i)
    for j, k in enumerate(seen):
        total += j * k
    for k, (p, q) in zip(seen, cells):
        total += k * p - q
    for k in far:
        c = c * 3 % 1000 + k % 7
""",
    "walks over dictionaries": """
for i in range(8):
    for k in counts:
        counts[k] += i
        c = c * 3 % 1000 + k
    for k, v_ in halves.items():
        total += k * v_
        halves[k] = v_ + 1
    for v_ in halves.values():
        total += v_
    for k in counts.keys():
        c += k
    for (p, q), (r, z) in pairs.items():
        total += p * r - q * z
    del counts[[3, 1, 40, 0, 1, 2, 3, 4][i]]
    counts[i] = i
    for k in empty:
        c += 1000
    else:
        c += 1
""",
    "what is removed": """
for i in range(60):
    k = i * 7 % 13
    if k in counts:
        del counts[k]
    else:
        counts[k] = i
    if i % 7 == 0 and i % 10 in many:
        c = many.pop(i % 10)
    if i + 100 in many:
        many.pop(i + 100)
        many[i + 100] = -i
""",
    "lists that are values": """
queue = [0]
empty[0] = 0
while queue:
    v_ = queue.pop(0)
    for k in graph[v_]:
        if k not in empty:
            empty[k] = empty[v_] + 1
            queue.append(k)
    graph[v_].append(c)
    graph[v_ + 100] = [v_, c]
    graph[v_ + 101] = graph[v_]
    c += 1
""",
    "lists that are made for keys": """
for i in range(40):
    k = i * i % 7
    if k not in empty:
        empty[k] = []
    empty[k].append(i)
    groups = {}
    for j in range(i):
        if j % 4 in groups:
            groups[j % 4].append(j * 0.5)
        else:
            groups[j % 4] = [i * 0.5]
    for v_ in groups.get(i % 6, []):
        total += v_
""",
    "functions": """
for i in range(200):
    c += visit(i * 13 % 37)
    total += visit(i % 9) - visit(i)
    c += table.at(i % 20) + len(table.seen)
    made = squares(i % 8)
    total += len(made) + made.get(3, 0)
    for p, q in around(i, 5):
        total += p * q
""",
    "lists of what they hold": """
for i in range(20):
    c += sum(many.values()) + max(many) + min(spots) + sum(spots) + len(sorted(spots))
    for k in list(many):
        if k % 20 == i:
            del many[k]
            many[k + 1000] = i
    for k in sorted(spots):
        c = (c * 3 + k) % 1000
    for p, q in list(cells):
        cells.discard((q, p))
        cells.add((p + i, q))
    items, keys, rest = list(many.values()), list(many.keys()), list(many.items())
    c += items[-1] + keys[3] + rest[5][1]
    others = set(many.values())
    c += len(others)
    for k, v_ in list(many.items()):
        if v_ == i:
            many.pop(k)
    total = sum(halves.values()) + max(halves.values())
""",
    "those with a default": """
for i in range(60):
    k = i * i % 7
    tally[k] += 1
    tally[k + 10] -= u[i % 7] > 1
    hits[k] += 2 - i
    sums[k] += 0.5 * i
    groups[k].append(i)
    groups[i % 5].append(c)
    c += tally[k + 1] + tally.get(i, 7) + len(tally)
    if k in sums and i + 50 not in sums:
        total += sums[k]
    for j in groups[k]:
        c += j
    c = c % 100000
    made, inner = Counter(), defaultdict(int)
    for j in range(i):
        made[j % 5] += 1
        inner[j % 3, i] -= j
    total += sum(made.values()) + len(inner) + put(k, i) + len(edges(i % 9))
    if i % 9 in tally:
        tally.pop(i % 9)
""",
    "sets and dictionaries in lists and in dictionaries": """
for i in range(60):
    links[i * 7 % 20].add(i * 3 % 20)
    links[i % 20].discard(3)
    near[i % 9].add(i)
    near[i + 20] = {i}
    named[i % 5][i] = i * 0.5
    for k in links[i % 20]:
        c += k
    if i in near[i % 9] and 3 not in links[2]:
        total += len(near) + len(links[i % 20])
    made = [set() for k in range(i % 9 + 1)]
    inner, third = defaultdict(set), {}
    for j in range(i % 9):
        made[j].add(j * 7 % 20)
        made[0].add(j)
        inner[j % 4].add(j * 9)
        if j % 3 not in third:
            third[j % 3] = set()
        third[j % 3].add(i)
        third[j % 3].discard(4)
    for v_ in made:
        c += len(v_)
    made[0], made[-1] = made[-1], made[0]
    for k, v_ in inner.items():
        for j in v_:
            c += k * j
    c += link(i * i % 17, i % 5)
    graph[i] = [len(made[0])]
    total += len(nets[i % 5])
""",
    "items that may be missing": """
def look(d, k):
    found = d.get(k)
    if found is None:
        return -1
    return found
for i in range(60):
    k = counts.get(i % 9)
    if k is None:
        counts[i % 9] = i
        c += 1
    else:
        c += k
    v_ = empty.get(i % 5)
    if v_ is None:
        empty[i % 5] = [i]
    else:
        v_.append(i)
    total += look(counts, i) + look(many, i * 10)
    last = pairs.get((i, 1))
""",
    "functions that change what is looked up": """
def bump(k):
    counts[k] = counts.get(k, 0) + 1
    return counts[k]
for i in range(30):
    c += counts.get(i, 0) + bump(i) + counts.get(i, 0) * 10
    c += bump(i) * 100 + counts[i] - bump(i)
    counts[i] = counts[i] + bump(i)
    counts[i] += bump(i) + bump(i + 1)
    total += (i in counts) + bump(i + 50) + (i + 50 in counts)
    x[i % 7] = counts[i] + bump(i) % (1 if i != 20 else 1)
    counts[bump(i) % 9] = bump(i)
    c = c % 100007
""",
    "comprehensions": """
for i in range(1, 20):
    seen = {j * j % 17 for j in range(i)}
    made = {j: j * 0.5 for j in seen}
    pairs = {(j, i): (j, 0.5) for j in made if j % 2}
    items = [k * 2 for k in seen]
    total += sum(v_ for v_ in made.values()) + max(k + 1 for k in spots)
    others = set(items)
    c += len(others) + any(k > 30 for k in others)
""",
    "a game of life": """
for i in range(30):
    near = {}
    for p, q in cells:
        for j in (-1, 0, 1):
            for k in (-1, 0, 1):
                if j != 0 or k != 0:
                    key = (p + j, q + k)
                    near[key] = near.get(key, 0) + 1
    new = set()
    for key, k in near.items():
        if k == 3 or (k == 2 and key in cells):
            new.add(key)
    cells = new
""",
    "keys of NumPy's": """
for i in range(20):
    whole[u[i % 7]] = whole.get(i, 0) + i
    c += (u[3] in counts) + (True in counts) + counts[u[2] * 0 + 1]
    if v[i % 7] in whole:
        c += 1
""",
    "the same under constants": """
for i in range(20):
    counts[1] += i
    counts[i] = counts[3]
    counts[3] = same[1] - i
""",
}
SAME = {
    "keys that are missing": """
try:
    for i in range(9):
        c += counts[40]
        if i > 5:
            c += counts[i * 50]
except KeyError as error:
    print(repr(error), i, c)
try:
    for i in range(9):
        spots.add(i)
        if i > 5:
            spots.remove(i * 50)
except KeyError as error:
    print(repr(error), i, spots)
try:
    for i in range(9):
        if i > 5:
            del counts[i * 50]
        counts[i] = 1
except KeyError as error:
    print(repr(error), i, counts)
""",
    "numbers that outgrow 64 bits": """
for i in range(9):
    counts[3] = counts[3] * 1000
    counts[i] = counts.get(i, 1) * 10 ** 15
    halves[i] = counts[i]
    far.add(counts[i] * 7)
""",
    "keys of other types": """
for i in range(9):
    counts[i] = i
    counts[i * 0.5] = i
    counts["a"] = 1
for i in range(9):
    spots.add(u[i % 7])
    if i == 5:
        spots.add(3.0)
    if i == 6:
        spots.add(True)
    if i == 7:
        spots.add((1, 2))
    c += 2.0 in spots
for i in range(9):
    whole[i] = i
    cells.add((u[1], 2))
    cells.add((1.0, i))
    empty[i > 2] = i
""",
    "values of other types": """
for i in range(9):
    counts[i] = i
    if i == 5:
        counts[i] = 0.5
    if i == 7:
        counts[i] = None
for i in range(9):
    halves[i] = i
    flags[i] = i
    pairs[(i, i)] = (i, i)
    graph[i] = i
    c = counts.get(i + 50)
""",
    "keys that are added to what is walked over": """
try:
    for i in range(10):
        for k in counts:
            if k == 1 and i == 7:
                counts[1000] = 5
            counts[k] += i
except RuntimeError as error:
    print(error, k, i, counts)
try:
    for i in range(10):
        for k in spots:
            if k == 1 and i == 7:
                spots.add(k + 900)
except RuntimeError as error:
    print(error, k, i, spots)
try:
    for i in range(10):
        for j, k in enumerate(many.items(), 3):
            if j == 20 and i == 7:
                del many[k[0]]
except RuntimeError as error:
    print(error, k, i, j, many)
for i in range(100):
    for k in spots:
        if k == i:
            spots.discard(k)
            spots.add(k + 200)
            break
    else:
        c += 1
""",
    "walks that are left": """
out = []
for i in range(10):
    for k in spots:
        if k == 37 * i % 101:
            print(k)
        out.append(k)
    for k in counts:
        counts[k] += i
        if k == 20 + i or k == 1:
            print(k, i)
    for j, (k, v_) in enumerate(halves.items()):
        if v_ == 0.5 * i:
            print("v", k, j)
    for k, p in zip(spots, graph):
        if k % 10 == i:
            print("z", k, p)
""",
    "calls that are left behind stores": """
for i in range(200):
    c += visit(i * 13 % 37) * x[i % 8]
    total += visit(i % 60) // (i % 50 - 49)
""",
    "functions that change what is walked over": """
try:
    for i in range(9):
        c += len([visit(k) for k in spots if k == i])
except RuntimeError as error:
    print(error, spots)
try:
    for i in range(9):
        c += sum(visit(k) for k in spots if k == i)
        c += max(spots, key=lambda k: visit(k))
except RuntimeError as error:
    print(error, spots)
def grow(d):
    for k in d:
        d[k + 100] = 1
try:
    for i in range(9):
        c += 1
        if i > 6:
            grow(counts)
except RuntimeError as error:
    print(error, counts)
""",
    "a set that is changed after the loop": """
for i in range(300):
    spots.add(i * 37)
    if i % 3:
        spots.discard(i * 37 - 37)
    if i % 100 == 50:
        print(list(spots))
spots.add(5000)
spots.discard(37)
spots.add(777)
""",
    "what is held elsewhere": """
for i in range(20):
    links[i % 4].add(i)
    near[i % 9] = links[3]
print(links[3] is other, near[0] is other, links, near)
held = graph[3], graph
keys = list(pairs)
for i in range(20):
    graph[3].append(i)
    graph[i] = held[0]
    pairs[(i % 2, 1)] = (i, 0.5)
held[0].append(7)
print(graph is held[1], graph[3] is held[0], [a is b for a, b in zip(keys, pairs)])
""",
    "those with a default, under keys that are missing": """
for i in range(60):
    k = i * i % 7
    c += hits[i]
    hits[k] += len(hits)
    sums[i] = sums[i + 1] + (i in sums)
    tally[i] += len(tally) + (i in tally)
    if i == 18:
        del tally[1000]
    groups[i].append(len(groups))
    groups[k] += [i]
    c += put(i % 13, i) * (1 // (i - 30) if i < 20 else 1)
    if i > 40:
        hits[i] += 0.5
        sums[i] += 1
try:
    for i in range(60):
        groups.default_factory = None if i == 50 else list
        groups[i + 100].append(i)
        tally[i] += 1 // (30 - i)
except (KeyError, ZeroDivisionError) as error:
    print(repr(error), i, tally)
    hits.default_factory = lambda: 7
for i in range(60):
    hits[i] += 1
hits.default_factory = None
""",
    "other uses": """
for i in range(9):
    counts[i] = i
    if i == 2:
        c = counts.setdefault(50, 2)
    if i == 3:
        counts.update({7: 1})
    if i == 4:
        counts.clear()
    if i == 5:
        spots = spots | {1, 2, 3}
    if i == 6:
        k = spots.pop()
    if i == 7:
        c = counts == {k: k for k in range(9)}
    if i == 8:
        print({1, 2, 3}, sorted(spots), min(counts), list(counts), dict(counts), set(spots))
        c = counts.popitem()
""",
    "attributes that are a dictionary": """
class Bare:
    pass
bare = Bare()
inside = vars(bare)
for i in range(9):
    inside[i] = i
    if i == 3:
        bare.k = 5
print(vars(bare))
""",
    "values that no table holds": """
for t in "B", "h", "f", "F":
    made, kept, stored, v = {}, {}, {}, np.arange(7).astype(t)
    for i in range(70):
        kept.setdefault(i % 9, v[i % 7])
    for i in range(70):
        stored[i % 9] = v[i % 7]
    print(kept, stored)
    for a in v:
        for i in range(40):
            made = {e: a for e in (2, 4, 6)}
            pairs = {e: (e, a) for e in (2, 4, 6)}
            nothing = {e: None for e in (2, 4, 6)}
    print(made, pairs, nothing)
""",
    "dictionaries that become one": """
def work(a, b):
    for i in range(300):
        a[1] += 1
        b[i % 3] = i
        if i > 290:
            print(a[1], b[i % 3])
work({1: 0}, {0: 5, 1: 1})
one = {1: 5}
work(one, one)
""",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    """The loop is compiled, never left, and agrees."""
    shown = "\nprint(vars(table), last if 'last' in dir() else 0)\n"
    test_compiled.assert_whole(*test_compiled.run(SETUP + WHOLE[name] + shown))


@pytest.mark.parametrize("name", [*WHOLE, *SAME])
@pytest.mark.parametrize("made", [heap.MADE, 12, 60])
def test_same(name: str, made: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program agrees, also where there is little memory."""
    monkeypatch.setattr(heap, "MADE", made)
    monkeypatch.setattr(heap, "MADE_WITH_TABLES", 1)
    source = WHOLE[name] if name in WHOLE else SAME[name]
    test_compiled.assert_same(*test_compiled.run(SETUP + source + "\nprint(vars(table))\n"))


@pytest.mark.parametrize("seed", range(40))
def test_order_of_sets(seed: int) -> None:
    """Sets are walked over in CPython's order, whatever was added and removed before."""
    dice = random.Random(seed)
    width, span = dice.choice([1, 1, 2, 3]), dice.choice([5, 50, 10**6, (1 << 63) - 1])
    expected: set[Any] = set()
    operations: list[tuple[bool, list[int]]] = []
    for _ in range(dice.choice([5, 30, 300, 3000])):
        words = [dice.randint(-span - 1, span) for _ in range(width)]
        if expected and dice.random() < 0.3:
            found = next(iter(expected))
            words = [found] if width == 1 else [*found]
        is_added = dice.random() < 0.7
        (expected.add if is_added else expected.discard)(words[0] if width == 1 else (*words,))
        operations.append((is_added, words))
    items = [[item] if width == 1 else [*item] for item in expected]
    assert _fastnp.replayed_set(operations, width) == items


def test_other_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Python's sets are others than those in memory, no loop with a table is compiled."""
    monkeypatch.setattr(set_order, "is_known", lambda: False)
    for source in ("for i in range(n):\n    c += len(spots)\n", WHOLE["counts"]):
        sites, difference = test_compiled.run(SETUP + source)
        assert not difference
        assert not sites[-1].runs
