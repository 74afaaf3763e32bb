"""Lists of objects of the program's classes in compiled loops."""

from __future__ import annotations

import textwrap

import pytest

from tests.loops import test_compiled

CLASSES = """
class Body:
    scale = 2.0
    def __init__(self, k):
        self.x, self.v, self.m = k * 0.5, 1.0 - k, k + 1
        self.f, self.alive, self.seen = 0, k % 3 != 0, []
        self.next, self.state, self.role = None, "ill" if k % 2 else "w" + "ell", None
    def move(self, dt):
        self.x += self.v * dt * self.scale
        return self.x
    def halve(self, i):
        self.m = self.m // 2 + i
        if i == 4:
            self.f = self.m / (i - 4)
        return self.m
    @property
    def energy(self):
        return 0.5 * self.m * self.v * self.v
class Slotted:
    __slots__ = ("n", "body")
    def __init__(self, n, body):
        self.n, self.body = n, body
class Equal(Body):
    def __eq__(self, other):
        return self.x == other.x
class Node:
    def __init__(self, key):
        self.key, self.left, self.right, self.count = key, None, None, 0
    def last(self):
        found = self
        while found.right is not None:
            found = found.right
        return found
    def add(self, key):
        if key < self.key:
            if self.left is None:
                self.left = Node(key)
            else:
                self.left.add(key)
        elif self.right is None:
            self.right = Node(key)
        else:
            self.right.add(key)
root = Node(4)
for key in 2, 6, 1, 3, 5, 7:
    root.add(key)
def find(key):
    node = root
    while node is not None and node.key != key:
        node = node.left if key < node.key else node.right
    return node
bodies = [Body(k) for k in range(6)]
for one, after in zip(bodies, bodies[1:]):
    one.next = after
twice = [bodies[0], bodies[3], bodies[0]]
slots = [Slotted(k, bodies[k % 3]) for k in range(4)]
first, best, total = bodies[0], None, 0.0
"""
# Loops that are compiled as a whole.
WHOLE = {
    "attributes of items": """
for i in range(n):
    for p in bodies:
        p.x += p.v * 0.1
        p.m = p.m + i
""",
    "pairs, and a number that is an integer or a float": """
for i in range(n):
    for p in bodies:
        p.f = 0
    for k, p in enumerate(bodies):
        for q in bodies[k + 1:]:
            d = (q.x - p.x) * 0.25
            p.f += d
            q.f -= d
""",
    "one object in two lists, twice in one, and under a name": """
for i in range(n):
    for p in twice:
        p.x += 1.0
    bodies[0].x *= 1.5
    first.v -= bodies[0].x
    twice[i % 3].m += 1
""",
    "methods, properties and constants": """
for i in range(n):
    for p in bodies:
        total += p.energy * p.scale
        total += p.move(0.25)
""",
    "names that are bound to items": """
for i in range(n):
    best = bodies[0]
    for p in bodies:
        if p is not best and p.x * i < best.x:
            best = p
        if p == first or p in twice:
            p.m += 1
""",
    "lists that change": """
for i in range(n):
    bodies[0], bodies[i % 6] = bodies[i % 6], bodies[0]
    alive = [p for p in bodies if p.alive]
    total += len(alive) + sum(p.x for p in alive)
    twice.append(alive[i % 2])
    bodies[i % 6].alive = not bodies[i % 6].alive
""",
    "objects of attributes, and `None`": """
for i in range(n):
    for s in slots:
        s.n += s.body.m
        s.body.x += 0.5
        s.body = bodies[(i + s.n) % 6]
    p = first
    while p is not None:
        total += p.x
        p = p.next
""",
    "lists of attributes": """
for i in range(n):
    for p in bodies:
        p.seen.append(i * p.m)
        total += len(p.seen)
""",
    "objects that are reached by attributes alone": """
for i in range(n):
    for s in slots:
        a, b = s.body, s.body.next
        d = b.x - a.x
        a.v += d
        b.v -= d
""",
    "a search in a tree": """
for i in range(2 * n):
    node = root
    while node:
        node.count += 1
        if node.key == i:
            total += 1
            break
        node = node.left if i < node.key else node.right
""",
    "searches by functions and methods": """
for i in range(2 * n):
    node = find(i)
    if node is not None:
        node.count += 1
        total += node.last().key
root.last().count = 5
""",
    "a search that begins at an argument": """
def found_from(node, key):
    while node is not None and node.key != key:
        node = node.left if key < node.key else node.right
    return node
for i in range(2 * n):
    node = found_from(root, i)
    if node is not None:
        node.count += 1
""",
    "a list that is followed": """
for i in range(n):
    p = first
    while p.next is not None:
        p.x = p.next.x
        p = p.next
    p.x = i
""",
    "strings": """
bodies[3].role = "".join("chief")
for i in range(n):
    for p in bodies:
        if p.state == "ill" and p.m % 3:
            p.state = "well"
        elif p.state in ("well", "ill"):
            p.role, role = p.state, p.role
        elif p.role is None or p.role != bodies[i % 6].state:
            p.role = "chief" if i % 2 else None
        total += (p.state == p.role) + (p.role == 3)
    bodies[i % 6].state = "other" if bodies[i % 5].state != "well" else "ill"
""",
    "members of enumerations": """
from enum import Enum
class Phase(Enum):
    YOUNG, OLD = 1, 2
    GREY = 2
for k, p in enumerate(bodies):
    p.phase = Phase.OLD if k % 2 else Phase.YOUNG
for i in range(n):
    for p in bodies:
        if p.phase == Phase.OLD:
            p.phase = Phase.YOUNG
        elif p.phase is Phase.YOUNG and p.m % 2:
            p.phase = Phase.GREY
        elif p.phase in (Phase.OLD, None) or p.phase == bodies[i % 6].phase:
            total += 1
        total += (p.phase == "OLD") + (p.phase is None) * 10
    bodies[i % 6].phase = bodies[(i + 1) % 6].phase
""",
    "objects and `None` in lists": """
places = [None, first, None, *twice]
for i in range(n):
    for k in range(6):
        if places[k] is not None and places[k].x < i:
            places[k - 1], places[k] = places[k], None
        elif not places[k] or places[k] == first:
            total += 1
    best = places[i % 6]
""",
    "a method of an object that loops over others like it": """
def run(self):
    for i in range(n):
        for other in self.others:
            if other is not self:
                self.x += other.v
                other.v *= 0.5
        self.m += 1
first.others = bodies
run(first)
""",
}
# Loops that are left, or not compiled.
LEFT = {
    "stores of calls that are undone": """
try:
    for i in range(n):
        for p in bodies:
            total += p.halve(i)
except ZeroDivisionError:
    pass
""",
    "a class with its own equality": """
equal = [Equal(k) for k in range(3)]
for i in range(n):
    total += equal[0] == equal[i % 3]
    equal[0].x = 1.0
""",
    "objects of two classes": """
several = [Body(1), Equal(1)]
for i in range(n):
    for p in several:
        p.x += 1
total = several[1].x
""",
    "a new attribute": """
for i in range(n):
    for p in bodies:
        p.new = i
    total += bodies[0].new
""",
    "an attribute that one object has not": """
del bodies[4].v
try:
    for i in range(n):
        for p in bodies:
            p.x += 1
            p.x += p.v
except AttributeError as error:
    total = str(error)
""",
    "a method that one object has itself": """
bodies[3].move = lambda dt: 5.0
for i in range(n):
    for p in bodies:
        total += p.move(0.5)
del bodies[3].move
""",
    "a `cached_property`": """
from functools import cached_property
class Cached:
    def __init__(self, k):
        self.x = k
    @cached_property
    def y(self):
        calls.append(self.x)
        return self.x * 2
calls = []
cached = [Cached(k) for k in range(4)]
cached[1].y, cached[2].y
try:
    for i in range(n):
        calls.append(-i)
        for p in cached:
            total += p.y
        total /= 3 - i
except ZeroDivisionError:
    pass
""",
    "classes that say what attributes are": """
class Asked(Body):
    def __getattr__(self, name):
        calls.append(name)
        return 2.0
class Told(Body):
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 1)
class Seen(Body):
    def __getattribute__(self, name):
        return object.__getattribute__(self, name)
calls = []
for kind in Asked, Told, Seen:
    some = [Body.__new__(kind) for _ in range(2)]
    for p in some:
        p.x = 1
    for i in range(n):
        for p in some:
            p.x += 1
            if kind is Asked:
                total += p.other
""",
    "`None` where an object is expected": """
try:
    for i in range(n):
        p = first
        for k in range(i):
            p.m += 1
            p = p.next
            total += p.x
except AttributeError as error:
    total = str(error)
p = first
for i in range(n):
    try:
        p.next.next.m += i
        p = p.next
    except AttributeError:
        total += 1
""",
    "a class that changes": """
for i in range(n):
    for p in bodies:
        total += p.scale + p.energy
    if i == 3:
        Body.scale = 5
    if i == 4:
        Body.energy = property(lambda self: 1)
    if i == 5:
        bodies[1].scale = -1
    if i == 6:
        bodies[1].__class__ = Equal
""",
    "a variable for an object that has more than compiled code knows": """
class Plain:
    def __init__(self):
        self.data, self.name, self.k = np.arange(4.0), "a", 1
one, other = Plain(), Plain()
for i in range(n):
    it = one if i % 2 else other
    it.k += 1
    it.data[i % 4] += i
    one.k += it.k
""",
    "objects of several classes in the places of others": """
root.left.right = bodies[0]
root.right.left = 5
for i in range(n):
    node = root
    while node is not None:
        try:
            total += node.key
            node = node.left if i < node.key else node.right
        except AttributeError as error:
            total += len(str(error))
            break
root.left.right = root.right.left = None
""",
    "what else is done with strings": """
for i in range(n):
    for p in bodies:
        total += len(p.state)
        if p.state[0] == "w":
            total += 1
        if p.role:
            total += 2
        if p.state < "k" or "el" in p.state or p.state is bodies[1].state:
            total += 3
        for c in p.state:
            total += ord(c)
        p.role = p.state + "er"
        p.role = p.role.upper()
        p.state = p.role[:3] or "ill"
        p.role = i
        p.role = None
""",
    "what else is done with enumerations": """
from enum import Enum, IntEnum
class Phase(Enum):
    YOUNG, OLD = 1, 2
class Rank(IntEnum):
    LOW, HIGH = 1, 2
class Same(Enum):
    A, B = 1, 2
    def __eq__(self, other):
        return True
for p in bodies:
    p.phase, p.rank, p.same = Phase.YOUNG, Rank.LOW, Same.A
bodies[3].phase = Phase.OLD
for i in range(n):
    for p in bodies:
        total += p.phase.value + p.rank
        if p.rank == Rank.HIGH or p.same == Same.B:
            total += 1
        if p.phase:
            p.phase = Phase.OLD if i % 2 else Phase.YOUNG
        now = Phase.OLD
        if now == p.phase or p.phase is bodies[0].phase:
            p.phase, p.rank = now, Rank(i % 2 + 1)
for i in range(n):
    for p in bodies:
        total += p.phase == Phase.OLD
    if i == 3:
        bodies[1].phase = "OLD"
""",
    "strings of several kinds": """
class Name(str):
    def __eq__(self, other):
        return True
    __hash__ = str.__hash__
bodies[2].state = Name("x")
bodies[4].state = "\\ud800"
for i in range(n):
    for p in bodies:
        total += p.state == "ill"
    if i == 3:
        bodies[2].state = "\\ud801"
    if i == 4:
        bodies[2].state, bodies[4].state = "ill", "\u00e9"
""",
    "an object of a name that is bound to others": """
node = root
for i in range(n):
    total += node.key
    node = node.left or Node(i)
    if i == 4:
        node = bodies[1]
        break
""",
    "more stores of a call than can be undone": """
def work(turns):
    for p in bodies:
        for k in range(turns):
            p.m += k
for i in range(n):
    work(30000 if i == 2 else 5)
""",
    "an integer of many bits": """
bodies[2].m = 2**70
for i in range(n):
    for p in bodies:
        p.m += 1
""",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    """The loop runs as compiled code from its first to its last turn, with the right values."""
    source = textwrap.dedent(CLASSES) + WHOLE[name]
    test_compiled.assert_whole(*test_compiled.run(source))


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    """The interpreter does what compiled code cannot, with the right values."""
    source = textwrap.dedent(CLASSES) + LEFT[name]
    test_compiled.assert_same(*test_compiled.run(source))
