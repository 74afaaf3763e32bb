"""Members of enumerations: attributes of objects at places, variables, arguments, results."""

from __future__ import annotations

import pytest

from tests.loops import test_compiled

SETUP = """
from enum import Enum, IntEnum
class Phase(Enum):
    YOUNG, OLD, GREY = 1, 2, 3
    FIRST = 1
    def next(self):
        return Phase.OLD if self is Phase.YOUNG else Phase.GREY
class Way(Enum):
    NORTH, SOUTH = (0, 1), (0, -1)
    def __init__(self, dx, dy):
        self.dx, self.dy = dx, dy
    def moved(self, p):
        return p + self.dy
class Walker:
    def __init__(self, phase):
        self.phase, self.other, self.way, self.age = phase, Phase.OLD, Way.NORTH, 0
    def grow(self, p):
        self.age += p
        if self.phase is Phase.YOUNG and self.age > 3:
            self.phase = Phase.OLD
            return True
        if self.age > 9:
            self.phase = Phase.GREY
        return False
class Slotted:
    __slots__ = ("phase",)
a, b, c = Walker(Phase.YOUNG), Walker(Phase.GREY), Slotted()
c.phase = Phase.OLD
now = Phase.YOUNG
def opposite(p):
    if p is Phase.OLD:
        return Phase.YOUNG
    return Phase.OLD
def maybe(p):
    return None if p == Phase.GREY else p
s = 0
"""
WHOLE = {
    "an attribute that is compared and bound": """
for i in range(n):
    if a.phase is Phase.OLD:
        x[i] += 1
        a.phase = Phase.YOUNG
    elif a.phase is not Phase.GREY and i % 2:
        a.phase = Phase.OLD
    if a.phase == Phase.YOUNG or Phase.OLD != b.phase:
        s += 1
print(a.phase, b.phase)
""",
    "state machines": """
for i in range(n):
    if a.phase is Phase.YOUNG:
        a.phase = Phase.OLD
    elif a.phase is Phase.OLD:
        a.phase = Phase.GREY
        for j in range(3):
            b.phase, b.other = b.other, b.phase
    else:
        a.phase = Phase.FIRST
    if a.phase in (Phase.YOUNG, Phase.GREY):
        s += i
    if a.phase not in (b.phase, None):
        s += 10
    if a.phase is b.phase or a.phase == c.phase:
        s += 100
    c.phase = Phase.OLD if i % 3 else b.phase
print(a.phase, b.phase, b.other, c.phase)
""",
    "variables, arguments and results": """
for i in range(n):
    old, now = now, opposite(now)
    if now is old:
        s += 1
    a.phase = opposite(a.phase)
    if opposite(a.phase) is now:
        s += 10
    last = a.phase if i % 2 else old
    b.phase = first = last
print(now, old, last, first, a.phase, b.phase)
""",
    "methods that bind attributes": """
for i in range(n):
    if a.grow(i):
        s += 1
    b.grow(1)
    if b.phase == Phase.YOUNG:
        s += 10
print(a.phase, b.phase)
""",
    "attributes of members": """
for i in range(n):
    s += a.way.dy * i + b.way.moved(i) - a.way.dx
    if a.way is Way.NORTH:
        x[i] = s
""",
    "constants": """
OLD = Phase.OLD
for i in range(n):
    if a.phase is OLD or OLD is a.other:
        s += 1
    if a.phase == "old" or a.phase == 1:
        s += 10
""",
    "beside lists of objects": """
group = [Walker(Phase.YOUNG), Walker(Phase.OLD), a]
for i in range(n):
    for one in group:
        if one.phase is Phase.YOUNG:
            one.phase = b.phase
        elif one.phase == b.phase:
            b.phase = Phase.OLD
        last = one.phase
    now = group[i % 3].phase
    if now == c.phase:
        c.phase = now
print([one.phase for one in group], b.phase, last, now)
""",
}
SAME = {
    "what is bound later": """
for i in range(n):
    if a.phase is Phase.OLD:
        s += 1
    if b.phase is None or b.phase == "x" or b.phase == 3:
        s += 2
    if i == 2: a.phase = None
    if i == 3: a.phase, b.phase = Phase.OLD, "x"
    if i == 4: b.phase = 3
    if i == 5: b.phase = Way.SOUTH
    if i == 6: b.phase = Phase.GREY
print(a.phase, b.phase)
""",
    "other objects at each entry": """
kinds = [Phase.OLD, Phase.YOUNG, None, Way.NORTH, "OLD", 2, Phase.OLD, x, [1], Phase]
for k in range(10):
    a.phase = kinds[k]
    for i in range(3):
        if a.phase is Phase.OLD: s += 1
        if a.phase == b.phase: s += 10
        if i == 2: b.phase = a.phase
print(s, b.phase)
for k in range(10):
    now = kinds[k]
    for i in range(3):
        if now is Phase.OLD: s += 1
        now = kinds[3 - i] if i > 3 else now
""",
    "None": """
for i in range(n):
    a.phase = maybe(a.phase) if i % 2 else b.phase
    if a.phase is None:
        s += 1
        a.phase = Phase.YOUNG
    elif a.phase is Phase.GREY:
        b.phase = None if i == 3 else Phase.OLD
print(a.phase, b.phase)
""",
    "in the middle of a turn": """
for i in range(n):
    now = a.phase
    a.phase = Phase.OLD
    b.phase = opposite(b.phase)
    if i % 3 == 1:
        print(now, a.phase, b.phase, now is Phase.YOUNG)
        a.phase = Phase.GREY
    s += now is Phase.OLD
for i in range(n):
    a.phase = Phase.YOUNG
    s += 1 // (i - 4) if i < 6 else i
""",
    "members that are equal to others, and what else they do": """
class Rank(IntEnum):
    LOW, HIGH = 1, 2
class Same(Enum):
    A, B = 1, 2
    def __eq__(self, other):
        return True
a.rank, a.same = Rank.LOW, Same.A
for i in range(n):
    if a.rank == Rank.HIGH or a.same == Same.B: s += 1
    if a.rank < 2: a.rank = Rank.HIGH
for i in range(n):
    a.same = Same.B
    if a.same is Same.A or a.same == Same.A: s += 1
for i in range(n):
    s += a.phase.value
for i in range(n):
    if a.phase: s += 1
    if a.phase.name == "OLD": s += 1
for i in range(n):
    a.phase = a.phase.next()
for i in range(n):
    if a.phase is b: s += 1
    if a is Phase.OLD: s += 1
print(a.phase, a.rank, a.same)
def poke(p):
    Phase.__eq__ = lambda self, other: True
for i in range(n):
    if a.phase == Phase.YOUNG: s += 1
    if i == 3: poke(i)
del Phase.__eq__
""",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    test_compiled.assert_whole(*test_compiled.run(SETUP + WHOLE[name]))


@pytest.mark.parametrize("name", SAME)
def test_same(name: str) -> None:
    test_compiled.assert_same(*test_compiled.run(SETUP + SAME[name]))
