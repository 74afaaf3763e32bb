"""What the random programs of `numeric` do with objects that lists hold."""

from __future__ import annotations

from typing import Protocol

from tests.loops import numeric_attributes, numeric_places

SETUP = """\
from enum import Enum
class Phase(Enum):
    YOUNG, OLD = 1, 2
class Body:
    scale = 2
    def __init__(self, k):
        self.x, self.v, self.m = k * 0.5, 1.0 - k, k + 1
        self.f, self.alive, self.tags, self.next = 0, k % 3 != 0, [k, 2], None
        self.phase = Phase.OLD if k % 2 else Phase.YOUNG
        self.g, self.mood, self.role = np.float64(k), 'up' if k % 2 else 'down', None
    @property
    def energy(self):
        return self.m * self.v * 0.5 + self.scale
    def at(self, i):
        return self.tags[i] + self.m
    def moved(self, p):
        self.x += p
        if p > 3:
            self.f = self.x
            return self.f
        self.m -= 1
        return self.x
    def meet(self, other):
        if self is other:
            return None
        self.v, other.v = other.v, self.v
        self.tags.append(other.m)
        if len(self.tags) > 9:
            self.tags = [other.m]
        return other.at(2)
class Grain:
    __slots__ = ("body", "p", "q")
    def __init__(self, p, body):
        self.p, self.q, self.body = p, 0.25, body
class Odd(Body):
    def __eq__(self, other):
        return self.m == other.m
    def __getattr__(self, name):
        return len(name)
class Node:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None
    def last(self):
        found = self
        while found.right is not None:
            found = found.right
        return found
def find(p):
    tip = root
    while tip is not None and tip.key != p:
        tip = tip.left if p < tip.key else tip.right
    return tip
def nearest(p):
    best = None
    for e in bodies:
        if best is None or abs(e.x - p) < abs(best.x - p):
            best = e
    return best
def settle(items, p):
    for e in items:
        for g in items[:3]:
            if e is not g:
                e.f += g.x - p
                g.m += 1
class Spark:
    glow = 3
    def __init__(self, p, other=None):
        self.p, self.other = p, other
        self.q = p * 0.5
        self.trail = [p]
        self.word = "lit" if p % 2 else "dim"
        self.fade(p)
    def fade(self, by):
        self.q -= by
        self.trail.append(by)
        return self.q + self.glow
class Link:
    def __init__(self, key, next=None):
        self.key, self.next = key, next
        made.append(key)
        first.m += 1
def joined(p):
    return Link(p, Link(p + 1))
made, sparks, chain, spark = [], [], None, None
bodies = [Body(k) for k in range(6)]
[setattr(first, "next", one) for first, one in zip(bodies, bodies[1:])]
grains = [Grain(k, bodies[k * 2 % 5]) for k in range(4)]
odd = [Odd(k) for k in range(3)]
flock, places = [bodies[1], bodies[4], bodies[1]], [None, bodies[2], None, bodies[0]]
first = leaf = bodies[0]
root = tip = Node(4)
root.left, root.right = Node(2), Node(6)
root.left.left, root.left.right, root.right.right = Node(1), Node(3), Node(9)
one = None
"""
SETUP += numeric_attributes.SETUP
# What functions bind themselves.
LOCALS = "made, sparks, chain, spark = [], [], None, None; "
LOCALS += "leaf, one, tip, flock = bodies[3], first, root, [bodies[1], first, bodies[1]]; "
LOCALS += numeric_attributes.LOCALS
MOODS = "('up' if a % 2 else 'down')"
FLOATS = ("x", "v", "f", "g")


class Writer(Protocol):
    """The part of the writer that is used here."""

    def pick(self, *choices: str) -> str: ...
    def index(self) -> str: ...
    def number(self, depth: int = 2) -> str: ...
    def condition(self, depth: int = 1) -> str: ...


def body(w: Writer) -> str:
    """A body, or `None`."""
    i = w.index()
    return w.pick(
        f"bodies[{i}]", f"bodies[{i} % 6]", f"flock[{i} % 3]", "first", "leaf", "one", "first.next",
        f"grains[{i} % 4].body", f"places[{i} % 4]", f"bodies[{i} % 5].next",
    )  # fmt: skip


def items(w: Writer) -> str:
    """A list of bodies."""
    i = w.index()
    return w.pick("bodies", "bodies", "flock", f"bodies[{i}:]", "bodies[::-2]", "flock + bodies")


def number(w: Writer) -> str:
    """A number of an object, or of several."""
    one, i = body(w), w.index()
    return w.pick(
        f"{one}.{w.pick(*FLOATS, 'm', 'alive', 'energy', 'scale')}",
        f"{one}.{w.pick(*FLOATS, 'm', 'alive', 'energy', 'scale')}",
        f"{one}.at({i})",
        f"{one}.tags[{i}]",
        f"len({one}.tags)",
        f"grains[{i}].{w.pick('p', 'q', 'body.x', 'body.m')}",
        f"sum(e.{w.pick('x', 'm', 'v')} for e in {items(w)})",
        f"sum(e.m for e in {items(w)} if e.alive)",
        f"max(abs(e.v) for e in {items(w)})",
        f"odd[{i} % 3].{w.pick('x', 'm', 'none')}",
        f"{w.pick('root.last()', 'tip', 'root', 'root.left')}.key",
        numeric_places.number(w),
    )


def made(w: Writer) -> tuple[str, ...]:
    """Statements that make objects."""
    i, j = w.index(), w.index()
    return (
        f"spark = Spark({i}{w.pick('', f', {body(w)}', ', spark')})",
        f"if len(sparks) < 20: sparks.append(Spark({i}))",
        f"sparks = [Spark({i}), Spark({j})]",
        f"if spark is not None: s += spark.p + len(spark.trail); spark.p += {i}",
        f"if sparks: z = sparks[-1].fade({i})",
        f"for a in range({i}): spark = Spark(a, spark)",
        "while spark is not None and s < 99: s += spark.p; spark = spark.other",
        f"chain = {w.pick(f'Link({i}, chain)', f'joined({j})', 'None', f'Link({i})')}",
        "while chain is not None: s += chain.key; chain = chain.next",
        f"if len(made) < 30: first.next = Body({i})",
        f"tip = {w.pick(f'Node({i})', 'root')}",
        f"root.left.left = Node({i})",
        f"s += Link({i}).key + joined({j}).next.key // ({i} - 2)",
        f"grains[{i} % 4] = Grain({j}, {body(w)})",
        f"if spark is not None and spark.word == {w.pick(repr('lit'), 'way')}: way = spark.word",
    )


def statement(w: Writer) -> str:
    """A statement with objects, or with arrays of one."""
    if w.pick("objects", "objects", "objects", "arrays") == "arrays":
        return numeric_attributes.statement(w)
    one, other, i, j = body(w), body(w), w.index(), w.index()
    name = w.pick(*FLOATS, "m", "m")
    return w.pick(
        f"{one}.{name} {w.pick('=', '+=', '-=', '*=')} {w.number(1)}",
        f"{one}.{name} {w.pick('=', '+=', '-=', '*=')} {number(w)}",
        f"{one}.alive = {w.condition(0)}",
        f"{one}.f = {w.pick('0', '0.5', i, number(w))}",
        f"{w.pick('a', 's', 'z', f'y[{i}]')} = {number(w)}",
        f"s += {number(w)} - {number(w)}",
        f"grains[{i}].p {w.pick('=', '+=')} {number(w)}",
        f"grains[{i}].body = {other}",
        f"{one}.{name}, {other}.{name} = {other}.{name}, {one}.{name}",
        f"bodies[{i}], bodies[{j}] = bodies[{j}], bodies[{i}]",
        f"places[{i}], flock[0] = flock[0], places[{j}]",
        f"{w.pick('one', 'leaf')} = {w.pick(one, 'None', f'nearest({i})')}",
        f"places[{i}] = {w.pick(one, 'None')}",
        f"{one}.next = {w.pick(other, 'None')}",
        f"if len(flock) < 20: flock.append({one})",
        "flock.pop()",
        f"flock = {w.pick('[e for e in bodies if e.alive]', 'list(bodies)', 'bodies[1:4]')}",
        f"if len({one}.tags) < 9: {one}.tags.append({i})",
        f"{one}.tags[{i}] = {w.number(0)}",
        f"{one}.tags = {w.pick(f'{other}.tags', f'[{i}]', 'K')}",
        f"if {one} {w.pick('is', 'is not', '==', '!=')} {w.pick(other, 'None')}: s += 1",
        f"if {one}.{w.pick('mood', 'role')} == {w.pick(MOODS, f'{other}.mood')}: s += 1",
        f"{one}.{w.pick('mood', 'role')} = {w.pick(MOODS, f'{other}.role', repr('so'))}",
        f"if {one}.phase {w.pick('==', 'is', '!=')} Phase.OLD: {other}.phase = Phase.YOUNG",
        f"{one}.phase = {w.pick('Phase.OLD', f'{other}.phase', 'Phase.OLD if a else None')}",
        f"if {one}.role is {w.pick('None', 'not None')}: {other}.role = {one}.mood",
        f"if {one}.mood {w.pick('in', 'not in')} ('up', way, 'so'): way = {other}.mood",
        f"if {one} {w.pick('in', 'not in')} {w.pick('flock', 'bodies', 'places')}: s += 2",
        f"if {w.pick(one, f'not {one}', f'{one} and {one}.x > {i}')}: s += 3",
        f"if odd[{i} % 3] {w.pick('==', 'is')} odd[1]: s += 1",
        f"odd[{i} % 3].m = {i}",
        f"for one in {items(w)}: one.x += one.v * 0.5",
        f"for one in {items(w)}: s += {number(w)}",
        f"for a, one in enumerate({items(w)}): one.m = a + one.m // 2",
        f"for one, z in zip({items(w)}, F): one.v = z; s += one.m",
        f"while leaf is not None and s < {i}: s += 1; leaf = leaf.next",
        f"tip = {w.pick('root', 'root', 'root.left', f'find({i})', 'tip.last()', 'None')}",
        f"while tip is not None: s += 1; tip = tip.left if {i} < tip.key else tip.right",
        f"if tip is not None: tip.key {w.pick('=', '+=')} {w.number(0)}",
        f"if find({i}) is tip: s += 1",
        f"z = {one}.moved({i})",
        f"{one}.moved({w.number(1)})",
        f"s += {one}.moved({i}) - {other}.moved({j})",
        f"a = {one}.meet({other})",
        f"one = {w.pick('min', 'max')}({items(w)}, key=lambda e: e.x {w.pick('-', '*')} {i})",
        f"one = {w.pick('min', 'max')}(flock, key=lambda e: {number(w)} - e.m)",
        f"settle({items(w)}, {i})",
        f"{one}.{w.pick('extra = a', 'scale = 3', 'next.next.m += 1', 'm = None', 'x = 2')}",
        w.pick(
            "Body.scale = a % 4", f"bodies.append(Body({i}))", "del first.v", "first.v = 0.5",
            "first.m = 1 << 70", "first.m = 2", f"flock[{i} % 3] = odd[0]", "flock[0] = first",
        ),
        numeric_places.statement(w),
        numeric_places.statement(w),
        *made(w),
    )  # fmt: skip
