"""Objects of the program's classes that compiled loops make."""

from __future__ import annotations

import pytest
from fastnp._loops import heap

from tests.loops import test_compiled

SETUP = """
import dataclasses
class Point:
    scale = 2
    def __init__(self, x, y=2):
        self.x = x
        self.y = y * 0.5
        self.tag = "new"
    def move(self, by):
        self.x += by * self.scale
        return self.x
class Node:
    def __init__(self, value, left=None):
        self.value = value
        self.left = left
        self.right = None
class Bag:
    def __init__(self):
        self.items, self.seen = [], {}
        self.count = self.total = 0
    def add(self, k):
        self.items.append(k)
        self.seen[k] = self.seen.get(k, 0) + 1
        self.count += 1
class Slotted:
    __slots__ = ("a", "b")
    def __init__(self, a, b):
        self.a, self.b = a, b
class Empty:
    pass
class Derived(Point):
    def __init__(self, x):
        self.k = x * 2
        self.x = self.k + 1
        self.y = 0.5
        self.tag = "derived" if x % 2 else "other"
        self.move(1)
@dataclasses.dataclass
class Part:
    a: int
    b: float = 0.5
    def area(self):
        return self.a * self.b
made, total, root = [], 0, None
"""
SHOW = """
def shown(o, depth=0):
    if isinstance(o, (list, tuple)):
        return [shown(e, depth + 1) for e in o]
    if type(o).__module__ != "program" or depth > 40:
        return repr(o) if type(o).__module__ != "program" else "..."
    names = list(getattr(o, "__dict__", {})) or getattr(type(o), "__slots__", [])
    return type(o).__name__, [(name, shown(getattr(o, name), depth + 1)) for name in names]
for name in ("made", "total", "root", "p", "q", "o", "held"):
    if name in globals():
        print(name, shown(globals()[name]))
"""
WHOLE = {
    "one in a turn": """
for i in range(20):
    p = Point(i)
    total += p.move(2) + p.y
""",
    "items of a list": """
for i in range(20):
    made.append(Point(i, y=i))
    if i > 3:
        total += made[i - 3].move(1)
""",
    "lists that are written out": """
for i in range(9):
    pair = [Point(i), Point(i + 1)]
    few = [Point(k) for k in range(i)]
    total += sum(e.x for e in few) + pair[1].x
    made = few
""",
    "a tree": """
def insert(root, v):
    node = root
    while True:
        if v < node.value:
            if node.left is None:
                node.left = Node(v)
                return
            node = node.left
        else:
            if node.right is None:
                node.right = Node(v)
                return
            node = node.right
root = Node(50)
for i in range(60):
    insert(root, i * 37 % 101)
""",
    "a chain": """
for i in range(40):
    root = Node(i, root)
k = root
while k is not None:
    total += k.value
    k = k.left
""",
    "lists and dictionaries as attributes": """
for i in range(20):
    p = Bag()
    for k in range(i):
        p.add(k % 3)
    total += p.count + len(p.seen)
""",
    "a dataclass": """
for i in range(20):
    p = Part(i, 1.5)
    q = Part(i)
    total += p.area() + q.area()
""",
    "slots": """
for i in range(20):
    p = Slotted(i, i * 0.5)
    p.a, p.b = p.a + 1, p.b * 2
    made.append(p)
""",
    "no attributes": """
for i in range(20):
    p = Empty()
    q = p if i % 2 else Empty()
    total += p is q
""",
    "methods in __init__": """
for i in range(20):
    p = Derived(i)
    total += p.x
    if p.tag == "derived":
        total += 1
""",
    "objects that are there": """
made = [Point(k) for k in range(5)]
for i in range(20):
    made[i % 5].move(i)
    if i % 4 == 0:
        made[i % 5] = Point(i)
    total += made[(i + 1) % 5].x
""",
    "functions that make objects": """
def pair(k):
    return Node(k, Node(k + 1))
def work(n):
    first, total = pair(0), 0
    for i in range(n):
        one = pair(i)
        one.right = first
        first = one.left
        total += one.value + one.left.value
    return total, first
total, root = work(30)
""",
    "integers that become floats": """
for i in range(20):
    p = Bag()
    p.total += 0.5 * i
    p.count = p.total
    made.append(p)
""",
}
SAME = {
    "what raises": """
try:
    for i in range(20):
        p = Point(i, 3)
        made.append(Point(1 // (15 - i)))
        total += p.x
except ZeroDivisionError as error:
    print(error, i)
try:
    for i in range(20):
        p = Point(i, y=2, **({} if i < 15 else {"z": 3}))
except TypeError as error:
    print(error, i)
try:
    for i in range(20):
        q = Node()
except TypeError as error:
    print(error, i)
try:
    for i in range(20):
        q = Node(i)
        total += q.left.value
except AttributeError as error:
    print(error, i)
""",
    "effects of __init__": """
count = [0]
class Counted:
    born = 0
    everyone = []
    def __init__(self, k):
        self.k = k
        count[0] += 1
        made.append(self)
class Loud:
    def __init__(self, k):
        self.k = k
        print("made", k)
class Known:
    born = 0
    def __init__(self, k):
        Known.born += 1
        self.k = Known.born + k
for i in range(9):
    p = Counted(i)
    total += p.k * (1 if i < 7 else len(str(i)))
for i in range(4):
    q = Loud(i)
for i in range(4):
    q = Known(i)
print(count, Known.born)
""",
    "attributes that are there at times": """
class Odd:
    def __init__(self, k):
        self.k = k
        if k % 2:
            self.odd = k
    def mark(self):
        self.marked = True
class Late:
    def __init__(self, k):
        self.k = k
        self.setup()
        self.last = 1
    def setup(self):
        self.late = self.k * 2
class Early:
    def __init__(self, k):
        if k < 0:
            return
        self.k = k
try:
    for i in range(9):
        p = Odd(i)
        total += p.k
        if i > 5:
            total += p.odd
except AttributeError as error:
    print(error, i)
for i in range(9):
    p = Late(i)
    total += p.late + p.last
    q = Odd(i)
    q.mark()
    total += q.marked
try:
    for i in range(9):
        o = Early(4 - i)
        total += o.k
except AttributeError as error:
    print(error, i)
""",
    "other classes": """
class Meta(type):
    def __call__(cls, *arguments):
        print("called")
        return super().__call__(*arguments)
class Strange(metaclass=Meta):
    def __init__(self, k):
        self.k = k
class Single:
    known = None
    def __new__(cls, k):
        if cls.known is None:
            cls.known = super().__new__(cls)
        return cls.known
    def __init__(self, k):
        self.k = k
class Watched:
    def __init__(self, k):
        self.k = k
    def __setattr__(self, name, value):
        print(name)
        super().__setattr__(name, value)
class Ends:
    def __init__(self, k):
        self.k = k
    def __del__(self):
        print("ends", self.k)
class Computed:
    def __init__(self, k):
        self.k = k
    @property
    def k(self):
        return self._k
    @k.setter
    def k(self, value):
        self._k = value * 2
class Super(Point):
    def __init__(self, x):
        super().__init__(x, 3)
        self.k = x
@dataclasses.dataclass
class Listed:
    k: int
    items: list = dataclasses.field(default_factory=list)
@dataclasses.dataclass(frozen=True)
class Frozen:
    k: int
for i in range(5):
    for class_ in (Strange, Single, Watched, Ends, Computed, Super, Listed, Frozen):
        total += class_(i).k
for i in range(5):
    total += Strange(i).k + Single(i).k + Watched(i).k
for i in range(5):
    total += Ends(i).k
for i in range(5):
    total += Computed(i).k
for i in range(5):
    total += Super(i).k + Listed(i).k + Frozen(i).k
del class_, Strange, Meta
""",
    "attributes of other types": """
class Mixed:
    def __init__(self, k):
        self.k = k
        self.a = x * k
class Maybe:
    def __init__(self, k):
        self.k = None
        self.name = None
        self.other = None
for i in range(9):
    p = Mixed(i)
    total += p.k
for i in range(9):
    q = Maybe(i)
    q.name = "a" if i % 2 else "b"
    q.other = Point(i)
    total += q.other.x + (q.name == "a")
for i in range(9):
    q = Maybe(i)
    q.k = i
    total += q.k
for i in range(9):
    o = Point(i if i < 5 else 0.5)
    total += o.x
    o.x = "z" if i == 7 else o.x
""",
    "classes that change": """
for i in range(30):
    p = Point(i)
    if i == 15:
        def init(self, x):
            self.z = x
            self.x = 5
        Point.__init__ = init
        print("changed")
    total += p.x
made.append(p)
for i in range(9):
    p = Point(i)
    total += p.x
""",
    "the same call for objects that are there": """
p = Point(3)
for i in range(9):
    Point.__init__(p, i, 4)
    total += p.x * (1 // (7 - i) if i == 6 else 1)
class Twice(Point):
    def __init__(self, x):
        Point.__init__(self, x)
        self.k = x
for i in range(9):
    q = Twice(i)
    total += q.k + q.x
""",
    "deep chains": """
for i in range(3000):
    root = Node(i, root)
k, total = root, 0
while k is not None:
    total += k.value
    k = k.left
root = root.left.left
root.left = None
""",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    """The loop is compiled, never left, and agrees."""
    test_compiled.assert_whole(*test_compiled.run(SETUP + WHOLE[name] + SHOW))


@pytest.mark.parametrize("name", [*WHOLE, *SAME])
@pytest.mark.parametrize("made", [heap.MADE, 12, 60])
def test_same(name: str, made: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program agrees, also where there is little memory."""
    monkeypatch.setattr(heap, "MADE", made)
    monkeypatch.setattr(heap, "MADE_WITH_TABLES", 1)
    test_compiled.assert_same(*test_compiled.run(SETUP + (WHOLE | SAME)[name] + SHOW))
