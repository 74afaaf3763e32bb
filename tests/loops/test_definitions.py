"""Functions that loops themselves define."""

from __future__ import annotations

import pytest

from tests.loops import test_compiled

SETUP = """
s = 0.0
def total(f, p, q):
    t = 0.0
    for j in range(4):
        t += f(p + j * q)
    return t
"""
WHOLE = {
    "a function of the loop's variables": """
for i in range(n):
    def f(t):
        return t * i + x[1]
    s += total(f, 0.5, 1.0) + f(i)
print(f(3), f.__name__, f.__qualname__)
""",
    "parameters": """
for i in range(n):
    def f(t, k=2, *rest, by=1):
        return t * k + by
    s += f(i) + f(i, 3) + f(1, by=i)
print(f(2), f.__defaults__, f.__kwdefaults__)
""",
    "loops and functions inside": """
c = 2
for i in range(n):
    def f(t: float, k=2) -> float:
        "A sum."
        found = 0.0
        for j in range(k):
            def g(r):
                return r * t + c
            found += g(j) + (lambda r: r - i)(t)
        return found
    c = i
    s += total(f, 0.5, 1.0) + f(0.25, 3)
print(f(2), f.__doc__, f.__annotations__)
""",
    "one of several": """
for i in range(n):
    if i % 2:
        def f(t): return t + i
    else:
        def f(t): return t * i
    s += f(2.0)
    for j in range(3):
        def g(t):
            return f(t) * j
        s += total(g, s, 0.125)
print(f(2), g(2))
""",
    "in a function": """
def work(n, c):
    s = 0.0
    for i in range(n):
        def f(t):
            return t * i + c
        def g(t):
            return f(t) - 1
        c = i * 0.5
        s += total(g, 0.5, 1.0)
        i += 1
        s -= f(1)
    i = 10
    print(f(3), g(2), f.__closure__ is not None)
    c = 100
    return f(3), s
print(work(n, 2.0))
""",
    "arrays": """
for i in range(n):
    def step(p):
        q = p * 0.5
        return q + i
    def store(k):
        y[k] += i
        return k
    x[:] = step(x)
    q = step(y)
    c = store(i)
    s += q.sum() + c
print(step(x))
""",
}
LEFT = {
    "in the middle of a turn": """
def work(n):
    s, kept = 0.0, []
    for i in range(n):
        def f(t):
            return t + i * s
        s += f(1)
        if i % 3 == 1:
            kept.append(f)
            print(f(2), [g(1) for g in kept])
            s += 1
        s += f(i)
        for j in range(2):
            def g(t):
                return f(t) - j
            s += g(0.5)
            if i == 5:
                print(g(1), f(1))
    print([g(1) for g in kept], g(1))
    return s
print(work(n))
""",
    "at module level": """
for i in range(n):
    def f(t):
        return t + i * s
    s += f(1)
    if i == 4:
        print(f(2), f)if i < 0 else print(f(2))
        i = 3
    s += 1 // (i - 6) if i < 6 else f(2)
print(f(1))
""",
}
SAME = {
    "other definitions": """
def twice(f):
    return lambda t: f(t) * 2
for i in range(n):
    @twice
    def f(t): return t + i
    s += f(1)
for i in range(n):
    def f(t, k=i): return t + k
    s += f(1)
for i in range(n):
    def f(t):
        global s
        s += t
    f(i)
def work(n):
    s = 0
    for i in range(n):
        def f(t):
            nonlocal s
            s += t
        f(i)
    return s
print(work(n))
for i in range(n):
    def f(t):
        yield t
    s += sum(f(i))
for i in range(n):
    def f(t): return f(t - 1) + 1 if t else i
    s += f(3)
for i in range(n):
    def f(t): return t + later
    later = i
    s += f(3)
for i in range(n):
    def f(t): return t
    g = f
    s += g(3)
for i in range(3):
    s += f(i)
    def f(t: n) -> x: return t - i
del f, g, twice, total
""",
    "unbound": """
for i in range(n):
    if i == 4:
        def h(t): return t + i
    if i > 4:
        s += h(1)
print(h(2))
for i in range(n):
    if i > 4:
        s += k(1)
    if i == 5:
        def k(t): return t + i
""",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    test_compiled.assert_whole(*test_compiled.run(SETUP + WHOLE[name]))


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    test_compiled.assert_left(*test_compiled.run(SETUP + LEFT[name]))


@pytest.mark.parametrize("name", SAME)
def test_same(name: str) -> None:
    test_compiled.assert_same(*test_compiled.run(SETUP + SAME[name]))
