"""New arrays that functions return on several paths, in compiled loops."""

from __future__ import annotations

import pytest

from tests.loops import test_compiled

FUNCTIONS = """
def clip(v):
    if v.sum() > 3:
        return v * 0.5
    return v + 1
def three(t, v):
    out = np.zeros_like(v)
    m = (1.0, 0.5, 0.25)
    for i in range(3):
        out[2 * i] = v[2 * i + 1]
        for j in range(3):
            if i != j:
                d = v[2 * j:2 * j + 1] - v[2 * i:2 * i + 1]
                out[2 * i + 1:2 * i + 2] += m[j] * d
    return out
def early(v, k):
    if k > 3:
        return np.zeros(2)
    w = v[:2] * k
    if k > 1:
        w[0] = 7
        return w
    return w[::-1] + 1
def either(v, k):
    if k > 3:
        return v
    return v + k
def divided(v, k):
    if k > 3:
        return v / (k - 5)
    return v[:k] + v[:3]
def typed(v, k):
    if k > 3:
        return v > k
    return v + k
"""
WHOLE = {
    "of two branches": """
for i in range(n):
    x[:] = clip(x)
    y[:] = clip(x) - clip(clip(y))
""",
    "behind loops with branches": """
def euler(f, v, k):
    for _ in range(k):
        v = v + 0.125 * f(0, v)
    return v
z = euler(three, np.arange(6.0), 12)
""",
    "of three paths, and names for them": """
for i in range(n):
    q = early(x, i)
    y[i] = q[0] + early(y, i)[1]
    q[0] = 1
    p = q + early(q, i)
""",
}
LEFT = {
    "an argument, or a new array": """
for i in range(n):
    y[:] = either(x, i)
    q = either(x, i)
    q[i] += 1
""",
    "errors and warnings on one path": """
for i in range(3, n):
    y[:] = divided(x, i)
for i in range(2, 4):
    y[:3] = divided(x, i)
""",
    "arrays of two types": """
for i in range(n):
    y[:] = typed(x, i)
""",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    """The loop is compiled, never left, and agrees."""
    test_compiled.assert_whole(*test_compiled.run(FUNCTIONS + WHOLE[name]))


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    """What is no new array of one type on all paths is the interpreter's."""
    test_compiled.assert_same(*test_compiled.run(FUNCTIONS + LEFT[name]))
