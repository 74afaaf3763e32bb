"""Functions that compiled loops call: what they store, and is undone; and functions of many
numbers.
"""

from __future__ import annotations

import textwrap

import pytest
from fastnp._loops.site import Site

from tests.loops import test_compiled

FUNCTIONS = """
import math
class Grid:
    def __init__(self):
        self.cells, self.seen = np.zeros((6, 9), np.uint8), np.zeros(9, bool)
        self.small, self.short = np.zeros(9, np.float32), np.zeros(9, np.int16)
        self.old, self.now, self.count = np.zeros(9), np.arange(9.0) % 4, 0
    def mark(self, y, x, value):
        if 0 <= y < 6 and 0 <= x < 9:
            self.cells[y, x] = value
            self.count += 1
        return self.count
    def bump(self, i):
        self.seen[i % 9] = not self.seen[i % 9]
        self.small[i % 9] += 0.5
        self.short[i % 9] -= 3
        self.count += 1
        return self.count
    def step(self, i):
        self.old[1:-1] = 2 * self.now[1:-1] - self.old[1:-1]
        self.cells[i % 6] += 1
        self.old[:2] *= 0.5
        self.old, self.now = self.now, self.old
def poke(v, i):
    v[i % len(v)] += 1
    return i
def lengthened(v, i):
    if len(v) < 40:
        v.append(i)
    return i
def checked(v, i, most):
    v[i % len(v)] += i
    if i > most:
        raise ValueError(i)
    if i == 7:
        print("seven")
    return v[0]
grid = Grid()
x, u, L, R = np.arange(7.0), np.arange(7), [3, 1, 2], [4, 9]
"""
WHOLE = {
    "constants of NumPy's types, and of classes": """
one, few, half = np.float64(3.0), np.int64(5), np.float32(0.5)
def from_one(r):
    return r - one
def from_few(r):
    return r - few, r * half
class Scaled:
    by = np.float64(0.25)
    def scaled(self, r):
        return r * self.by
scale, s, p, q, k = Scaled(), 0, 0, 0, 0
for i in range(n):
    s = from_one(i)
    p, q = from_few(i)
    k = scale.scaled(i)
""",
    "elements of all sizes": """
        for i in range(40):
            grid.mark(i % 8 - 1, i % 11 - 1, i)
            s = grid.bump(i)
        """,
    "slices, and arrays that change places": """
        for i in range(30):
            grid.step(i)
        """,
    "large arrays that a call stores to first": """
        A, B = np.arange(9000.0).reshape(90, 100) % 7, np.zeros((90, 100))
        def relax(source, target):
            centre = source[1:-1, 1:-1]
            target[1:-1, 1:-1] = 0.25 * (source[:-2, 1:-1] + source[2:, 1:-1]) + 0.5 * centre
        def clear(target, value):
            target[:, :2] = value
        for i in range(6):
            relax(A, B)
            clear(B, i)
            relax(B, A)
        """,
    "calls within expressions": """
        s = 0
        for i in range(30):
            s += 2 * poke(u, i) + 1
            if grid.count + 1 < grid.bump(i):
                s -= 1
            s = s + grid.count * 100 - grid.bump(i) + grid.count
            a, b, c = grid.count, grid.bump(i), grid.count
            t = grid.count, grid.bump(i), grid.count * 2
            L[i % 3] += poke(L, 1)
            x[i % 7] = poke(x, i) - poke(x, 1)
        """,
    "a list that a call makes longer while its item is updated": """
        for i in range(30):
            R[0] += lengthened(R, i)
        """,
    "sorted, extended, turned": """
        v, out = [5.5, -1.0, 3.25, 0.5], []
        for i in range(25):
            L[i % 3] = i * 7 % 5
            a = sorted(L)
            v[i % 4] = i * 0.375 % 2 - 1
            v.sort()
            R[0:2] = reversed(R[0:2])
            if len(out) < 30:
                out.extend(a)
            s = sum(v) + sum(a)
        """,
    "generators": """
        for i in range(25):
            L[i % 3] = i * 7 % 5
            s = sum(e * i for e in L) + sum(e > 2 for e in L) + sum(e / 4 for e in x)
            t = any(e == 3 for e in L), all(e < 4 for e in u[:3])
            a = max(e - i for e in L) + min(abs(e - 2) for e in L if e != 7)
            d = sum((p - q) ** 2 for p, q in zip(L, x))
        """,
    "order, and functions of numbers": """
        A = np.arange(30.0).reshape(5, 6) * 7 % 5
        for i in range(25):
            a = np.sort(A[i % 5])
            b = np.sort((u * 3)[: i % 7])
            m = np.median(A[: i % 5 + 1, 1:]) + np.median(u[: i % 7 + 1])
            c = np.clip(i * 0.5, 2, 7.5) + np.clip(i, 3, 17) + float("inf") - float("-inf")
            n = np.linalg.norm(x[i % 7 : i % 7 + 1])
            r = math.radians(i) + math.degrees(i * 0.1)
            e = A[:2, 1:3].flatten()
            B = np.array([[i, 1.5], [2.0, x[i % 7]]])
        """,
}
LEFT = {
    "a constant of a class that is derived from a number's": """
class Meters(float):
    def __rsub__(self, other):
        return "meters"
far, s = Meters(2.0), 0
def from_far(r):
    return r - far
for i in range(n):
    s = from_far(i)
""",
    "a function that raises": """
        s = 0
        for i in range(30):
            s += checked(u, i, 20)
        """,
    "an index error after stores": """
        s = 0
        for i in range(30):
            grid.bump(i)
            s += poke(u, i) + u[i // 3]
        """,
    "large arrays that a call changes before it is left": """
        A, B, C = np.arange(9000.0) % 7, np.zeros(9000), np.ones(9000)
        def advance(source, target, other, i):
            target[1:] = source[1:] * 2 - i
            other[:4] = target[2:6] + other[3]
            source[:3] = other[1:4]
            return source[i * 4000]
        def shift(target, i):
            target[1:] = target[:-1]
            return target[i * 4000]
        def twice(source, target, i):
            for k in range(2):
                target[k:9000] = source[k:] + k
                source[k] = target[k + 5]
            return source[i * 4000]
        s = 0
        for f in ("advance", "shift", "twice"):
            try:
                for i in range(6):
                    if f == "advance":
                        s += advance(A, B, C, i)
                    elif f == "shift":
                        s += shift(B, i)
                    else:
                        s += twice(C, A, i)
            except IndexError as error:
                print(error)
        """,
    "arrays that each turn of a call's loop changes": """
        P, Q, b = np.arange(72.0).reshape(9, 8) % 7, np.ones((9, 8)), np.arange(72.0).reshape(9, 8)
        g, c, h = np.arange(9, dtype=np.float32), np.arange(9) * (0.5 + 2j), np.arange(9)
        def relax(P, Q, i):
            for k in range(4):
                P[1:-1, 1:-1] = (Q[2:, 1:-1] + b[1:-1, 1:-1] * P[1:-1, 2:]) / 4
                Q[:] = P + i
                P[:, -1] = P[:, 2] - k
                P[0] = P[1]
                g[1:6] = g[2:7] / 2 + k
                c[: 4 + k] = c[1 : 5 + k] * 2
                h[2:] += k
                Q[k % 2 : 7] = P[k % 2 : 7] * 0.5
            return b[i * 3, 0]
        s = 0
        try:
            for i in range(6):
                s += relax(P, Q, i)
        except IndexError as error:
            print(error)
        """,
    "arrays that a call changes before they are updated": """
        m = x > 2
        def flip(i):
            m[i % 7] = not m[i % 7]
            x[i % 7] += 1
            return i
        for i in range(20):
            x[i % 7] += flip(i)
            x[m] = flip(i + 1)
            y = x * 2 + flip(i)
        """,
    "no order": """
        nan, zeros = np.array([1.0, np.nan, 0.5]), np.array([0.0, -0.0, 1.0])
        v = [1.0, math.nan, 0.5]
        for i in range(6):
            a, b, c, d = np.sort(nan), np.sort(zeros), np.median(nan), np.median(zeros)
            e, f = sorted(v), np.median(zeros[:0])
        """,
    "integers that a signed type does not hold": """
        a, b, big = np.zeros(5, np.int32), np.zeros(5, np.uint8), np.arange(5) * 1000000007
        for i in range(5):
            b[i] = big[i]
            b[1:3] = big[i]
            a[a < 9] = big[i]
            if i < 3:
                a[i] = big[i]
            a[3:] = big[i]
        """,
    "nothing to compare or to add": """
        s = []
        for i in range(6):
            try:
                s.append(sum(e / 2 for e in L[: 3 - i]))
                s.append(min(e for e in L[: 4 - i]) * 0.5)
            except ValueError as error:
                print(error)
        """,
}


def run(source: str) -> tuple[list[Site], str]:
    return test_compiled.run(FUNCTIONS + textwrap.dedent(source))


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    """The loop is compiled, never left, and agrees."""
    test_compiled.assert_whole(*run(WHOLE[name]))


@pytest.mark.filterwarnings("ignore:Mean of empty slice:RuntimeWarning")
@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    """What a call has done is undone, and the interpreter makes it."""
    test_compiled.assert_same(*run(LEFT[name]))
