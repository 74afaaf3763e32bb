"""Attributes and methods of the program's objects in compiled loops."""

from __future__ import annotations

import textwrap

import fastnp
import pytest
from fastnp._loops.site import Site

from tests.loops import test_compiled

CLASSES = """
class Plain:
    step = 2
    def __init__(self, p=1, q=0.5):
        self.p, self.q, self.r = p, q, np.arange(7.0)
    def at(self, i, *, by=1):
        return self.r[i] * by + self.step
    def count(self, i, by=1):
        self.p += by
        if i > 3:
            self.q = float(i)
            return 2 * self.p
        return self.p
    def halve(self, i):
        self.p = self.p / 2
        return i
    @staticmethod
    def half(i):
        return i / 2
    @property
    def both(self):
        return self.p + self.q
class Slotted:
    __slots__ = ("n", "inner", "unset")
    def __init__(self, inner):
        self.n, self.inner = 0, inner
class Watched(Plain):
    def __setattr__(self, name, value):
        log.append((name, value))
        object.__setattr__(self, name, value)
class Asked(Plain):
    def __getattribute__(self, name):
        log.append(name)
        return object.__getattribute__(self, name)
class Lazy(Plain):
    def __getattr__(self, name):
        log.append(name)
        return 3
parent = [0, 1, 2, 3, 4, 5, 6]
def root(i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i
def union(i, j):
    i, j = root(i), root(j)
    if i == j:
        return False
    parent[i] = j
    return True
log = []
a, b = Plain(), Plain(5, 2.5)
s = Slotted(a)
"""
# Loops that are compiled as a whole.
WHOLE = {
    "attributes that are read": "for i in range(n): x[i] = a.p * a.q + a.r[i] + a.step + s.inner.q",
    "attributes that are stored": """
for i in range(n):
    a.p += i
    a.q, s.n = a.q * 2, a.p
    b.q = i
""",
    "elements and whole arrays of attributes": """
for i in range(n):
    a.r[i] += b.r[n - 1 - i]
    b.r *= 2
    a.r[1:3] = b.r[2:4]
""",
    "an array that is another in each turn": """
for i in range(n):
    a.r = a.r + b.r * i
    c = a.r
""",
    "methods and properties": """
for i in range(n):
    x[i] = a.at(i, by=3) + b.both - b.half(i)
    a.p = a.p + 1
    y[i] = a.both
""",
    "methods that store": """
for i in range(n):
    y[i] = a.count(i, by=2)
    b.count(i)
    c = s.inner.count(i % 3)
""",
    "conditions that store": """
for i in range(n):
    while a.count(i % 3) < 2 * i:
        s.n += 1
    if not union(i, i * 3 % 7):
        y[i] = root(i)
    elif root(i) == root(i - 1):
        s.n += 10
""",
    "an attribute that changes its type": """
for i in range(n):
    a.p = a.p + (0.5 if i == 3 else 1.5)
""",
    "an object of a function's parameter, and of its globals": """
def work(box, n):
    found = 0.0
    for i in range(n):
        found += box.at(i) + shared(i)
        box.p = found
    return found
def shared(i):
    return b.q * i
c = work(a, n)
""",
    "lists of an attribute, beside an attribute that a method binds": """
class Arm:
    def __init__(self):
        self.points = [[0.0, 0.0] for _ in range(3)]
    def update(self, angles):
        self.angles = angles
        for i in range(1, 3):
            self.points[i][0] = self.points[i - 1][0] + math.cos(self.angles[i - 1])
arm, z = Arm(), 0.0
arm.update([0.0, 0.0])
for i in range(n):
    arm.update([i * 0.25, 0.5])
    z += arm.points[2][0]
""",
    "an array that a method makes, with more stores than the log has room for": """
class Filled(Plain):
    def table(self, n):
        made = np.zeros((n, n))
        for _ in range(4):
            for i in range(n):
                for j in range(n):
                    made[i, j] += i * self.p - j
                made[:, i] *= 0.5
        self.p += 1
        return made
d = Filled()
for i in range(4):
    x[i] = d.table(150).sum() / 4096 + d.p
""",
    "constants and functions of classes": """
class Settings:
    size, scale, name, limit = 7, 0.5, "slow", None
class Own(Settings):
    size = 5
for i in range(n):
    x[i % Own.size] += Settings.scale * i
    if Own.name == "slow" and Own.limit is None:
        y[i % Settings.size] = Plain.half(i) + Plain.at(a, i)
""",
    "modes": """
a.mode, a.next = "fast", None
for i in range(n):
    if a.mode == "fast" and a.next is None:
        y[i] = i
    if a.mode != "slow":
        x[i] = i
""",
}
# Loops of which the interpreter makes parts, or all.
LEFT = {
    "classes that change, and what they have that is no constant": """
class Meta(type):
    @property
    def size(cls):
        log.append("size")
        return 2
class Asking(metaclass=Meta):
    scale = 2
class Settings:
    scale, counted = 0.5, 0
    @classmethod
    def make(cls, i):
        return i + cls.scale
    @property
    def whole(self):
        return 3
log = []
for i in range(n):
    x[i] += Settings.scale
    if i == 3:
        Settings.scale = 2
    if i == 5:
        Settings.scale = np.float64(0.25)
for i in range(n):
    Settings.counted += i
    y[i] = Settings.counted
for i in range(n):
    y[i] += Settings.make(i) + Asking.size * Asking.scale
for i in range(n):
    y[i] += len(Settings.__name__) + (Settings.whole is None)
log.append(Settings.counted)
""",
    "a store in the middle of a method that is left": """
for i in range(n):
    x[i] = a.count(i) + a.r[i + 1]
    y[i] = a.count(y[i + 3])
""",
    "conditions that store, left": """
for i in range(n):
    if a.count(i) < x[i + 1] + 9:
        y[i] = 1
    if a.count(parent[i] + 3 * i) > 4: y[i] = 2
    while root(parent[i] + i) != a.count(x[2]) and i < 3: i += 1
""",
    "an index after a method that has changed the type of an attribute": """
for i in range(n):
    if i == 0: a.p = 3
    y[i + 4] = a.halve(i)
""",
    "a new attribute": "for i in range(n):\n    a.fresh = i\n    x[i] = a.fresh",
    "another object": "for i in range(n):\n    x[i] = a.p\n    if i == 3: a = b\n",
    "an object's object that is exchanged": """
for i in range(n):
    x[i] = s.inner.q
    if i == 3: s.inner = b
""",
    "an attribute that is deleted": """
for i in range(n):
    x[i] = a.step + i
    if i == 2: a.step = 9
    if i == 4: del a.step
""",
    "an attribute that was never set": """
for i in range(n):
    s.n += 1
    if i == 4: s.unset += 1
""",
    "one object by two names": """
c = a
for i in range(n):
    a.p += 1
    x[i] = c.p
""",
    "a property that takes an attribute's place": """
for i in range(n):
    x[i] = a.q
    if i == 3: Plain.q = property(lambda self: 7)
""",
    "a method that is replaced": """
for i in range(n):
    x[i] = a.at(i)
    if i == 2: Plain.at = lambda self, i: 5
    if i == 4: a.at = abs
""",
    "a class that watches stores": "c = Watched()\nfor i in range(n): c.p += i",
    "a class that is asked": "c = Asked()\nfor i in range(n): x[i] = c.p",
    "a class that is asked for what is missing": """
c = Lazy()
for i in range(n):
    x[i] = c.p + c.missing
""",
    "a member of an enumeration": """
from enum import Enum
class Phase(Enum):
    YOUNG, OLD = 1, 2
a.phase = Phase.OLD
for i in range(n):
    if a.phase is Phase.OLD: x[i] += 1
    if a.phase is not Phase.YOUNG: x[i] += 2
""",
    "an error in a method": """
for i in range(n + 3):
    c = a.count(i)
    x[i] = c
""",
}


def run(source: str) -> tuple[list[Site], str]:
    return test_compiled.run(CLASSES + textwrap.dedent(source))


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    """The loop is compiled, never left, and agrees."""
    test_compiled.assert_whole(*run(WHOLE[name]))


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    """What compiled code does not know of objects is the interpreter's."""
    test_compiled.assert_same(*run(LEFT[name]))


def test_strict_names_what_is_missing() -> None:
    class Counter:
        pass

    counter = Counter()

    @fastnp.jit(strict=True)
    def work(n: int) -> None:
        for i in range(n):
            counter.total = i  # type: ignore[attr-defined]

    with pytest.raises(fastnp.LoopError, match=r"counter\.total"):
        work(10)
