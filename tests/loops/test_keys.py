"""`min(items, key=lambda item: …)` and `max` in compiled loops."""

from __future__ import annotations

import textwrap

import pytest

from tests.loops import test_compiled

SETUP = """
class Part2:
    def __init__(self, k):
        self.k, self.cost, self.uses = k, (k * 5 % 7) / 2, 0
    def far(self, p):
        return abs(self.k - p)
    def used(self):
        self.uses += 1
        return self.uses
parts = [Part2(k) for k in range(7)]
s, z = 0, 0.0
"""
WHOLE = {
    "numbers": """
for i in range(n):
    s += min(L, key=lambda e: abs(e - i)) - max(K, key=lambda e: e % (i + 2))
    z += max(F, key=lambda e: -e * e) + min(x, key=lambda e: (e - i) ** 2)
    s += min(range(5), key=lambda k: abs(k - i)) + max((i, 3, 1), key=lambda k: k % 3)
    o = max(mix, key=lambda e: e > i)
""",
    "ties": """
for i in range(n):
    W = [(k % 3, k) for k in range(9)]
    a, b = min(W, key=lambda e: e[0])
    c, d = max(W, key=lambda e, /: e[0] == 1)
    s += b * 100 + d
""",
    "objects": """
for i in range(n):
    one = min(parts, key=lambda e: e.cost + e.far(i))
    one.cost += 1.5
    worst = max(parts, key=lambda e: e.cost * (e is not one))
    worst.k, one.k = one.k, worst.k
""",
    "lists": """
for i in range(n):
    r = max(M, key=lambda e: e[i % 3])
    r[0] -= i
    s += r[1]
""",
    "variables of a function, and of the key": """
def work(n, least):
    e, found = 3, 0
    for i in range(n):
        factor = i % 3 + 1
        found += min(L, key=lambda e: abs(e * factor - least))
        least += max(K, key=lambda p: sum(p * q for q in K) % 7)
        found += e
    return found, least
s = work(n, 4)
""",
}
LEFT = {
    "no items": """
try:
    for i in range(n):
        s += min([e for e in L if e > i], key=lambda e: -e)
except ValueError as error:
    s = str(error)
""",
    "nan": """
for i in range(n):
    F[i] = np.nan if i % 2 else F[i] / 2
    o = min(F, key=lambda e: e), max(F, key=lambda e: -e)
    z += F.index(min(F, key=lambda e: 1.0))
""",
    "keys that raise": """
try:
    for i in range(n):
        s += max(L, key=lambda e: 1 / (e - i))
except ZeroDivisionError as error:
    s = str(error)
""",
    "keys that store": """
for i in range(n):
    s += min(parts, key=lambda e: e.used()).k
""",
    "keys of several types": """
for i in range(n):
    s += min(L, key=lambda e: e if e > i else e / 2)
    s += max(L, key=lambda e: (e % 3, e))
    s += len(max(["b", "abc"], key=lambda e: len(e)))
""",
    "what is no key": """
def least(items, key):
    return key(items[0])
for i in range(n):
    min = least if i > 2 else max
    s += min(L, key=lambda e: e * 2)
    s += max(3, 4, key=lambda e: -e)
    s += max(L, key=lambda e, k=i: e * k)
    s += max(*[L], key=lambda e: -e) + max(L, default=3, key=lambda e: -e)
del min
""",
    "a key of a key": """
for i in range(n):
    s += max(K, key=lambda e: max(L, key=lambda f: abs(e - f)))
    s += max(K, key=lambda e: (lambda f: f - e)(e * e))
""",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    """The loop runs as compiled code from its first to its last turn, with the right values."""
    test_compiled.assert_whole(*test_compiled.run(textwrap.dedent(SETUP) + WHOLE[name]))


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    """The interpreter does what compiled code cannot, with the right values."""
    test_compiled.assert_same(*test_compiled.run(textwrap.dedent(SETUP) + LEFT[name]))
