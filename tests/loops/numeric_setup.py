"""What the random programs of `numeric` begin with: arrays, lists, functions and objects."""

from __future__ import annotations

SETUP = """\
import cmath, heapq, math, random
from collections import deque
from enum import Enum
random.seed(5)
np.random.seed(5)
rng = np.random.default_rng(5)
bits = np.random.Generator(np.random.SFC64(6))
n = 7
A = np.arange(49.0).reshape(7, 7) / 4 - 5
B = (np.arange(49.0).reshape(7, 7) % 11) / 2
x = np.arange(7.0) - 3
y = np.zeros(7)
f = np.arange(7, dtype=np.float32) / 2
u = np.arange(7) * 3 % 5
v = np.arange(7, dtype=np.int32) - 2
w = np.arange(7, dtype=np.uint8) * 9
m = np.arange(7) % 2 == 0
C = A[::2, ::-1]
t = A.T
S = (np.arange(24.0).reshape(2, 3, 4) % 7).T
V = (np.arange(24.0).reshape(2, 3, 4) % 5).transpose(1, 0, 2)
L = [3, -1, 4, 1, -5, 9, 2]
F = [0.5, -1.5, 2.0, 8.0, 0.25, -3.0, 1.0]
mix = [3, 0.5, -2, 1.5, 0, 4, 2.25]
H = [True, False, False, True, True, False, True]
G = [5, 7]
K = [2, 4, 6]
E = []
M = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
P = [M[1], [0] * 3, M[1]]
Q = [[0.5, 1.5], [], [2.5]]
T = []
W = [(1, 2), (3, -4), (0, 0)]
Y = [(0.5, 1), (2.5, 3)]
X = []
N = [2, 5, 3]
O = [0.5, x[1]]
U = [x[2], x[3]]
J = deque([1, 2])
Cs = [1j, 0.5 - 1j, -2 + 0j]
o, way, hit = None, "n", None
edges = np.arange(7) * 3 // 2
R = L
text, word = "a quick br\u00f8wn fox, 42 jumps", "jumpy fox 7!"
Z = (np.arange(7) - 3) * (0.5 + 0.25j)
D = (np.arange(14).reshape(2, 7) - 5) * (0.25 - 0.5j)
def turn(p, q):
    return p * q + 1j
def poke(p, q):
    y[p % 7] = q
    L[p % 8] = p
def swap(v, i, j):
    v[i], v[j] = v[j], v[i]
    if v[i] > 2:
        return i
    v[i] += 1
    return j
def pairs(p):
    return [d * 0.5 for d in (p, p[1:])]
def whole(p):
    d = p + 1.0
    return p, d
def fill(v, i):
    while i < 9:
        v[i] = i
        i += 1
    return i
def small(p, q):
    f[p % 7] = q
    v[p % 7] += 1
    w[p % 7] = p % 256
    m[p % 7] = not m[p % 7]
    x[1:3] += p
    A[p % 7, ::2] = x[:4] * 2
    if p > 40:
        raise ValueError(p)
    if p == 8:
        print("eight")
    return v[p % 8]
def both(p, q):
    poke(p, q)
    return swap(x, p, 2)
def push(v, p):
    v.append(p)
    return len(v)
def row(p):
    found = [p] * 3
    found[1] = p + 1
    return found
def least(p):
    found = L[p % 7]
    for e in K:
        if e < found:
            found = e
    return found
def either(p, q):
    if p > 1:
        return p
    if p < -3:
        return x[2]
    return q
def maybe(p, q):
    if p > q:
        return p - q
    if p == 3:
        return None
    if q > 3:
        return 0.5
def some(v, p):
    for k in range(len(v)):
        if v[k] > p:
            return k, v[k]
def named(p):
    return "n" if p > 2 else "s" if p > 0 else "east"
def plus(p, q):
    if p > q:
        return p - q
    return p + 2 * q
def safe(p, q):
    try:
        found = p / q
        if found > 40:
            raise ValueError(p)
    except ZeroDivisionError:
        return 0.5
    except ValueError:
        found = 40.0
    return found
def steps(p):
    count = 0
    while p > 1 and count < 9:
        p = p // 2
        count += 1
    return count
class Kind(Enum):
    RED, BLUE, GREEN = 1, 2, 3
class Part:
    __slots__ = ("u", "v", "kind")
    weight = 0.5
    def __init__(self):
        self.u, self.v, self.kind = 3, 1.5, Kind.GREEN
    def scaled(self, p, *, by=2):
        return p * by + self.weight * self.u
class Box(object):
    step = 2
    def __init__(self, part):
        self.p, self.q, self.r = 1, 0.25, x[::2].copy()
        self.items, self.part, self.pair, self.mode = [4, 5, 6], part, (1, 2.5), "a"
        self.found, self.kind = None, Kind.RED
    def turn(self, p):
        if self.kind is Kind.BLUE:
            self.kind = Kind.RED if p > 2 else Kind.GREEN
            return self.kind
        self.kind = Kind.BLUE
        return None
    def seek(self, p):
        if self.found is None or p < self.found:
            self.found = p
            return None
        return self.found - p
    @property
    def total(self):
        return self.p + self.part.u
    def at(self, i):
        return self.r[i % 4] + self.q * self.step
    def bump(self, p, by=1):
        self.p += by
        if p > 2:
            self.q = p
            return self.p
        self.part.v -= 1
        self.r[self.p % 4] = p
        self.r[1:] *= 0.5
        return y[p % 9]
    def twice(self, p):
        self.bump(p, by=2)
        return self.at(self.bump(p))
box, spare = Box(Part()), Part()
kind = Kind.GREEN
def other(p):
    return Kind.BLUE if p is Kind.RED else Kind.RED
def outer(p):
    return box.p + spare.scaled(p)
def line(p, q):
    def inner(r):
        return r * p + q
    return inner
def nested(p, q):
    inner, plain = line(q, p), lambda r: r + 1
    return lambda r, p=p, *, by=q: inner(plain(r)) - p * by
def powers(k, way):
    def inner(r):
        if way == "up":
            return r ** (k & 3) + k
        return r + (way is None)
    return inner
def storing(v, items):
    def inner(r):
        v[items[1] % 7] += 1
        return v[2] + items[0] - r
    return inner
def counting(k):
    def inner(r):
        nonlocal k
        k += 1
        return k + r
    return inner
def recursive(p, k):
    def inner(r, k=k):
        return r if k > 1 else p + inner(r, k + 1)
    return inner
def made(p, q=2):
    def inner(r, k=p, m=1, *, by=0.5):
        def innermost(e):
            return e * k + q * by
        return innermost(r) - innermost(m)
    f = lambda r: inner(r) + q
    found = f(1)
    q = q + 1.5
    for k in range(2):
        g = lambda r: f(r) - k
        found = found + g(k) * 0.5
    return found + inner(2, m=p)
def applied(f, p):
    return f(p) - f(1)
def passing(p):
    k = p + 1
    return applied(lambda r: r * k, p) + applied(made, k)
def of_object(part, p):
    return lambda r: part.scaled(p) + part.u - r
"""
# Functions that are made anew, of one argument.
CLOSURES = (
    "line(a, z)",
    "line(z, s)",
    "nested(s, 0.5)",
    "nested(a, z)",
    "powers(a, 'up')",
    "powers(2, None)",
    "storing(x, (a, b))",
    "storing(L, K)",
    "counting(s)",
    "recursive(z, 0)",
    "recursive(a, a)",
    "of_object(spare, z)",
    "of_object(box.part, a)",
    "box.at",
    "spare.scaled",
    "lambda r: r - a",
    "lambda r, k=c: r * k + z",
)
