"""Methods that put items into lists, or take them out, in compiled loops."""

from __future__ import annotations

import pytest
from fastnp._loops import heap

from tests.loops import test_compiled

SETUP = """
from collections import deque
stack = list(range(50))
words = ["a", "b", "c", "d"] * 5
flags = [True, False] * 10
tup = [(k, k * 0.5) for k in range(20)]
total = 0
class P:
    def __init__(self, k): self.k = k
ps = [P(k) for k in range(20)]
one = ps[3]
def drop(L, k):
    L.insert(k, 7)
    L.remove(5)
    return L.pop(k) + L.pop(2)
"""
WHOLE = {
    "items anywhere": """
for i in range(20):
    stack.insert(i % 7, i)
    stack.insert(-2, i)
    stack.insert(100, i)
    total += stack[3]
    a = stack.pop(3)
    stack.pop(i % 5)
    del stack[-1]
    total += a * 3 + stack.pop(1) + stack.pop(-2)
print(stack)
""",
    "other items": """
for i in range(12):
    words.insert(0, "z")
    words.remove("b" if i < 3 else "a" if i < 6 else "z")
    flags.insert(i, i % 3 == 0)
    flags.reverse()
    del flags[0]
    tup.reverse()
    tup.insert(3, (i, 0.5))
    b, z = tup.pop(2)
    total += b
print(words, flags, tup)
""",
    "objects, and clear": """
for i in range(12):
    q = [1, 2, 3]
    q.clear()
    q.append(i)
    ps.reverse()
    if one in ps:
        ps.remove(one)
    ps.insert(2, one)
    total += ps.pop(5).k + len(q)
print([p.k for p in ps])
""",
    "functions": """
for i in range(12):
    stack[i] = 5
    total += drop(stack, i)
print(stack)
""",
}
SAME = {
    "what raises, and loops over the list": """
try:
    for i in range(30):
        for k in stack:
            if k == i * 2:
                stack.remove(k)
            total += k
        total += stack.pop(i) // (9 - i)
except (ZeroDivisionError, ValueError) as error:
    print(error, i, stack)
try:
    for i in range(30):
        stack.remove(i)
except ValueError as error:
    print(error, i, stack)
""",
    "other arguments": """
for i in range(9):
    stack.insert(i, "x") if i == 8 else stack.insert(i, i)
    deq = deque([1, 2, 3])
    deq.clear()
    deq.append(i)
    deq.insert(0, 5)
    deq.remove(5)
    deq.reverse()
    del deq[0]
    if i > 6:
        stack.remove("x") if "x" in stack else stack.remove(i)
        del stack[1:3]
        stack.insert(2, i + 0.5)
    total += len(stack)
print(stack)
""",
    "the list itself, under other names": """
other = stack
try:
    for i in range(90):
        other[stack.pop(i)] += stack.pop(1) + other.pop(2)
        stack.append(other.pop(0) + len(stack))
        x[stack.pop(1) % 7] = other.pop(3)
        stack[2] = stack.pop(1)
except IndexError as error:
    print(error, i, stack, other)
nested = [[1, 2], [3], [4, 5, 6]]
for i in range(6):
    inner = nested.pop(1)
    inner.insert(0, i)
    nested.insert(i % 2, inner)
    inner.clear() if i == 4 else inner.reverse()
print(nested)
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
    test_compiled.assert_same(*test_compiled.run(SETUP + (WHOLE | SAME)[name]))
