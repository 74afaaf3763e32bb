"""Dictionaries under keys of the source in compiled loops."""

from __future__ import annotations

import pytest

from tests.loops import test_compiled

SETUP = """
params = {"dt": 0.25, "mass": 2.0, "steps": 3, "mode": "fast", "none": None}
counts = {"even": 0, "odd": 0, 2: 5, "r": np.arange(7.0), "items": [3, 1, 2], "in": {"k": 1}}
same = counts
class Box:
    def __init__(self):
        self.p, self.weights, self.counts = 1, {"a": 0.5, "b": 2}, {"hits": 0, "last": None}
    def score(self, k):
        self.counts["hits"] += 1
        if k > 3:
            self.counts["hits"] += 10
        return k * self.weights["a"] + self.weights["b"]
    def move(self, v):
        self.counts["last"] = v * 0.5
        return self.counts["last"][0]
box = Box()
hits = box.counts
def step(z):
    return z + params["dt"] / params["mass"]
def double(p):
    return p * 2
calls = {"double": double, "root": math.sqrt}
"""
WHOLE = {
    "items that are read": """
z = 0.0
for i in range(n):
    z = step(z) + params["dt"] * i
    for k in range(params["steps"]):
        y[k] += counts["r"][i] + counts["items"][k] * counts[2] + counts["in"]["k"]
    if params["mode"] == "fast" and params["none"] is None:
        y[i] += calls["double"](i) + calls["root"](i)
    key = "mass"
    z += params[key]
""",
    "items that are stored": """
for i in range(n):
    if i % 2 == 0:
        counts["even"] += 1
    else:
        counts["odd"] = counts["odd"] + i
    counts[2] *= 2
    counts["r"] += 1
    counts["items"][i % 3] = i
    counts["in"]["k"] += counts["even"]
    params["dt"], params["mass"] = params["mass"], params["dt"]
""",
    "dictionaries of objects": """
for i in range(n):
    y[i] = box.score(i) + box.p
    x[i] = box.move(A[i])
    box.weights["b"] += 1
""",
    "items before a call that stores to them": """
for i in range(n):
    y[i] = box.counts["hits"] * 100 + box.score(i) - box.counts["hits"]
    hits["hits"] += box.score(i)
    x[i] = box.counts["hits"]
""",
    "a dictionary under two names": """
for i in range(n):
    counts["even"] += 1
    y[i] = same["even"]
""",
}
LEFT = {
    "a key that is not there": """
for i in range(n):
    y[i] = params["dt"]
    if i > 4:
        y[i] = params["missing"]
""",
    "a key that is new": """
for i in range(n):
    counts["even"] += 1
    if i == 4:
        counts["new"] = i
    if i > 4:
        counts["new"] += 1
""",
    "keys that the program computes": """
for i in range(n):
    counts["even" if i % 2 == 0 else "odd"] += 1
    counts[i % 2 + 1] = i
""",
    "other uses": """
for i in range(n):
    counts["odd"] += i
    if i % 3 == 0:
        y[i] = len(counts) + sum(v for k, v in counts.items() if k == "odd") + ("odd" in counts)
    if counts and counts == same:
        y[i] += 1
    y[i] += params.get("dt", 0)
""",
    "a statement that is left behind a store": """
for i in range(n):
    y[i] = box.score(i) + x[i + 1]
""",
    "the attributes of an object": """
inside = box.__dict__
for i in range(n):
    box.p += 1
    inside["p"] += 1
    y[i] = box.p
""",
    "an item of an attribute that a call stores to": """
for i in range(n):
    box.counts["hits"] += box.score(i)
    x[i] = box.counts["hits"]
""",
    "a scope": """
scope = globals()
s = 0
for i in range(n):
    s += 1
    scope["s"] += 1
    y[i] = s
""",
    "a key that is deleted, and of other types": """
for i in range(n):
    params["dt"] = params["dt"] + (1 if i < 5 else 1j)
    if i == 2:
        del counts["odd"]
    if i == 3:
        counts["odd"] = "text"
    if i != 2:
        z = counts["odd"]
""",
    "another dictionary": """
for i in range(n):
    y[i] = params["dt"]
    if i == 3:
        params = {"dt": 7}
""",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    """The loop is compiled, never left, and agrees."""
    shown = "\nshown = sorted(map(repr, [*counts.items(), *params.items()])), vars(box)['counts']\n"
    test_compiled.assert_whole(*test_compiled.run(SETUP + WHOLE[name] + shown))


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    """What compiled code does not know of dictionaries is the interpreter's."""
    shown = "\nshown = [*map(repr, [*counts.items(), *params.items()])], repr(vars(box))\n"
    test_compiled.assert_same(*test_compiled.run(SETUP + LEFT[name] + shown))
