"""Strings as wholes in compiled loops: items of lists, keys and values of dictionaries."""

from __future__ import annotations

import pytest
from fastnp._loops import heap

from tests.loops import test_compiled

SETUP = """
from collections import Counter, defaultdict, deque
words = ["the", "cat", "sat", "on", "the", "mat", "a", "cat"] * 5
graph = {"a": ["b", "c"], "b": ["d"], "c": ["d", "a"], "d": []}
score = {w: k for k, w in enumerate(sorted(set(words)))}
parent = {"d": "c", "c": "b", "b": "a"}
line = "hello world, this is a text"
board = [["."] * 5 for k in range(4)]
board[2][3] = "#"
class Person:
    def __init__(self, k):
        self.status, self.friends, self.seen = "S" if k % 3 else "I", ["x", "y"], {}
    def meet(self, other):
        self.seen[other] = self.seen.get(other, 0) + 1
        self.friends.append(other)
        return self.seen[other]
people = [Person(k) for k in range(20)]
total, same = 0, words
"""
WHOLE = {
    "counts of words": """
counts = {}
for w in words:
    counts[w] = counts.get(w, 0) + 1
""",
    "counts of attributes": """
for r in range(5):
    counts = {"S": 0, "I": 0, "R": 0}
    for p in people:
        counts[p.status] += 1
    total += counts["I"]
    people[r].status = "R" if r % 2 else "I"
""",
    "comparisons": """
for w in words:
    total += score[w]
    if w == "cat":
        total += 100
    elif w in ("on", "mat") or w not in score:
        total += 1000
    total += (w in same) + ("x" in words) * 5
""",
    "items": """
for w, k in score.items():
    total = total * 3 % 1009 + k
    score[w] = k + 1
for w in score:
    score[w] += len(graph)
for k in parent.values():
    total += k == "b"
""",
    "a graph": """
for r in range(6):
    seen, queue, order = set(), ["a"], []
    while queue:
        node = queue.pop()
        if node in seen:
            continue
        seen.add(node)
        order.append(node)
        for other in graph[node]:
            queue.append(other)
    total += len(seen)
""",
    "a variable": """
node, steps = "d", 0
while node != "a":
    node = parent[node]
    steps += 1
rules = {"A": "B", "B": "C", "C": "A"}
state, visits = "A", {}
for i in range(20):
    visits[state] = visits.get(state, 0) + 1
    state = rules[state]
""",
    "characters as keys": """
letters, places, first = Counter(), defaultdict(list), {}
for k, ch in enumerate(line):
    letters[ch] += 1
    places[ch].append(k)
    first.setdefault(ch, k)
""",
    "a board": """
for i in range(4):
    for j in range(5):
        if board[i][j] == ".":
            total += 1
            board[i][j] = "o" if (i + j) % 2 else "x"
        elif board[i][j] != "#":
            board[i][j] = line[i * j]
new = []
for i in range(9):
    new = [["."] * 3 for k in range(3)]
    new[i % 3][1] = "#"
    total += sum(1 for row in new if "#" in row)
""",
    "new lists": """
names = []
for i in range(9):
    names.append("a" if i % 2 else words[i])
    last = names[i // 2]
    pair = [last, "z"]
    pair[0] = pair[1]
""",
    "displays": """
for i in range(9):
    made = {"x": i, "y": i * i}
    made["z"] = made["x"] + made["y"]
    total += made["z"] - len(made)
    named = {w: i for w in words}
    o = {"a": words[i], "b": "c"}
    total += o["a"] == "cat"
""",
    "removal": """
for i in range(9):
    if words[i] in score:
        del score[words[i]]
    score["the"] = i
    total += score.pop("the")
    score["new"] = i
tags = {"a", "cat"}
for w in words:
    if w in tags:
        tags.discard(w)
    else:
        tags.add(w)
""",
    "methods": """
for i in range(30):
    total += people[i % 20].meet(words[i])
""",
}
SAME = {
    "keys that are not there": """
try:
    for i in range(9):
        for w in words:
            total += score[w if i < 7 else "none"]
except KeyError as error:
    print(error, total)
try:
    for i in range(9):
        total += graph.pop("b" if i else "a") is None
except KeyError as error:
    print(error)
""",
    "other keys and values": """
counts = {}
for i in range(9):
    counts[words[i]] = i if i < 5 else None
    if i == 6:
        counts[3] = 5
    if i == 7:
        counts[("a", 1)] = 5
    total += counts.get(None, 2) is None
    total += counts.get(5, 2)
mixed = ["a", None, "b"] * 3
for i in range(9):
    if mixed[i] is None:
        mixed[i] = "c"
    elif i > 4:
        mixed[i] = None
    if i == 8:
        mixed[0] = 7
    total += mixed[i] == "b"
""",
    "what strings have": """
for w in words:
    total += len(w)
    if w > "m" or w.startswith("c") or w[0] == "s":
        total += 1
    if not w:
        total += 5
    o = w + "s"
    q = sorted([w, "k"]), min(words), max(w, "b"), w.upper(), w * 2, f"{w}!"
    for ch in w:
        total += ord(ch)
for i in range(9):
    o = sorted(words), sorted(score), " ".join(words), words.index("mat"), words.count("the")
    words.sort()
    words.reverse()
    words.remove("cat") if i == 3 else words.insert(0, "dog")
""",
    "walks over sets": """
tags = {*words}
for i in range(9):
    for w in tags:
        total = total * 3 % 1009 + score[w]
    o = tags & {"a", words[i]}
    o = tags - {words[i]}
    tags |= {words[i]}
    total += len(tags)
""",
    "strings that are no ASCII": """
odd = "na\\u00efve \\u03b1\\u03b2"
counts = {}
for ch in odd * 3:
    counts[ch] = counts.get(ch, 0) + 1
wide = ["\\u03b1", "\\U0001f600", "a", "", "\\ud800"]
for i in range(9):
    for w in wide:
        counts[w] = i
""",
    "classes derived from strings": """
class Name(str):
    def __eq__(self, other):
        return True
    def __hash__(self):
        return 5
names = ["a", Name("b"), "c"]
for i in range(9):
    for w in names:
        total += w == "zz"
    total += {"a": 1, Name("q"): 2}.get("q", 7)
""",
    "a dictionary that is the attributes": """
class Bare:
    pass
bare = Bare()
bare.a, bare.b = 1, 2
inside = vars(bare)
keys = ["a", "b", "a"]
def work():
    for i in range(90):
        inside[keys[i % 3]] += 1
        bare.a += 2
        total = inside[keys[i % 2]]
    return total
total = work()
print(vars(bare))
""",
    "dictionaries that become one": """
keys = ["a", "b"]
def work(one, other):
    for i in range(300):
        one["a"] += 1
        other[keys[i % 2]] += i
        if i > 295:
            print(one["a"], other["a"])
work({"a": 0}, {"a": 5, "b": 1})
shared = {"a": 5, "b": 2}
work(shared, shared)
""",
    "identity": """
for i in range(9):
    total += words[i] is words[i - 1]
    total += words[i] is not None
print(words is same, [a is b for a, b in zip(words, same)])
""",
    "variables of several types": """
def work(items):
    found = None
    for one in items:
        if one == "cat":
            found = one
        elif found is not None:
            found = 3 if one == "mat" else found
        if found == 3:
            found = "none"
    return found
print(work(words), work([]), work(["cat"]), work([1, "a"]))
last = None
for w in words:
    if last == w:
        total += 1
    last = w
queue = deque(["a", "b"])
for i in range(20):
    one = queue.popleft()
    queue.append(words[i])
    queue.append(one)
""",
    "many strings": """
many = {f"key{k}": k for k in range(300)}
keys = list(many) * 2
for k in keys:
    many[k] += total
    total = many[k] % 100
for i in range(300):
    o = many.get(keys[i] if i % 2 else "no", -1)
    total += o
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
    shown = """
for name, value in sorted(globals().items(), key=lambda pair: pair[0]):
    if name[0] != "_" and type(value) in (dict, set, Counter, defaultdict, list, deque):
        print(name, sorted(value) if type(value) is set else value if name != "people" else "")
print([(p.status, p.friends, p.seen) for p in people])
"""
    test_compiled.assert_same(*test_compiled.run(SETUP + (WHOLE | SAME)[name] + shown))
