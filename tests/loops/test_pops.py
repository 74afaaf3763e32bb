"""Items that are taken from lists within expressions, and lists that are compared."""

from __future__ import annotations

import pytest
from fastnp._loops import heap

from tests.loops import test_compiled

SETUP = """
from collections import deque
stack, mem, queue, total = [1, 2, 3], [0] * 8, deque([1, 2, 3, 4, 5]), 0
names, ops = ["a", "b", "c"] * 20, [(0, 3), (1, 0), (2, 5)] * 10
pairs, spare = [(1, 0.5), (2, 1.5)] * 30, [[1], [2, 3], [1]] * 5
def step(k):
    op, arg = ops[k]
    if op == 0:
        stack.append(stack.pop() + arg)
    elif op == 1:
        mem[arg] = stack.pop()
    else:
        stack.append(arg)
    return stack[-1]
"""
WHOLE = {
    "a stack machine": """
for i in range(30):
    stack.append(i)
    stack.append(i + 1)
    mem[i % 8] = stack.pop()
    if stack.pop() != 7:
        total += 1
        stack.append(i)
    stack.append(stack.pop() * 2 - stack[0])
    total += stack.pop() + len(stack)
""",
    "functions": """
stack += [5] * 20
for i in range(30):
    total += step(i)
""",
    "other items": """
for i in range(30):
    total += names.pop() == "a"
    x[i % 7] = pairs.pop()[1]
    total += pairs.pop(0)[0] if i < 0 else 1
    queue.append(queue.popleft() + i)
    mem[i % 8] = queue.pop()
    queue.append(3)
""",
    "equal lists": """
for i in range(12):
    new = [i % 3, 2]
    if new == mem[:2]:
        total += 1
    mem[:2] = new
    total += (new != stack) * 10 + (stack == stack[:]) * 100 + (names == names[:i]) * 1000
    total += (spare[i] == spare[0]) + (pairs == pairs[: i + 50]) * 7
    F[1] = i * 0.5
    total += (F == F[:]) * 3
""",
}
SAME = {
    "statements that raise": """
try:
    for i in range(30):
        stack.append(i)
        total += stack.pop() + stack.pop() // (20 - i)
except (ZeroDivisionError, IndexError) as error:
    print(error, i, stack)
try:
    for i in range(30):
        queue.append(i)
        total += queue.popleft() // (20 - i) + queue.pop()
except (ZeroDivisionError, IndexError) as error:
    print(error, i, queue)
try:
    for i in range(90):
        pairs[i] = pairs.pop(i % 2 * 0)
except IndexError as error:
    print(error, i, pairs)
""",
    "where it may be the list itself": """
stack = list(range(200))
other = stack
try:
    for i in range(30):
        stack[i] = other.pop()
        other[i + 1] += stack.pop()
        total += len(other) * stack.pop() - other[-1]
        stack.append(stack[-1] + other.pop())
        total += max(stack.pop(), other.pop(0))
        stack[stack.pop() % 5] = 3
except IndexError as error:
    print(error, i, stack)
""",
    "where it may not happen": """
stack = list(range(300))
for i in range(9):
    s_ = [stack.pop() for k in range(2)]
    q_ = stack.pop() if i % 2 else 3
    b = i > 5 and stack.pop() > 3
    stack[stack.pop() % 5] += stack.pop()
    x[stack.pop() % 7] = 0.5
    if i > 3 or stack.pop() > 2:
        total += 1
    total += sum(stack.pop() for k in range(3)) + [stack.pop(), stack.pop()][0]
""",
    "nan": """
nan = float("nan")
F[2] = nan
G_ = F[:]
for i in range(9):
    total += (F == G_) + (F == [nan] * 7) * 2 + (F[2:3] == [float("nan")]) * 5
    total += ([1, 2] == [1.0, 2.0]) + ([True] == [1]) + (mem == [[0]])
    total += (queue == queue) + (mem == queue)
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
    shown = "\nprint(stack, mem, queue, total, names, pairs)\n"
    test_compiled.assert_same(*test_compiled.run(SETUP + (WHOLE | SAME)[name] + shown))
