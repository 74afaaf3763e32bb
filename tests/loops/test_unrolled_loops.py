"""`for` statements over tuples and lists whose items are arrays, or of several types."""

from __future__ import annotations

import pytest

from tests.loops import test_compiled

SETUP = """
s = 0.0
def local(p):
    q = p + 1.0
    h = p * q
    return q, h
def count(p, *others):
    for other in others:
        if other[0] > p[0]:
            break
        for j in range(len(other)):
            if other[j] > 2:
                return j
    else:
        return len(others)
    return -1
"""
WHOLE = {
    "arrays by name": """
for i in range(n):
    for a in (x, y, A[1]):
        a[i] += i
        s += a.sum()
    for a in [A, B]:
        a *= 0.5
""",
    "arrays side by side": """
vx, vy = x * 0.25, np.cos(x)
for i in range(n):
    for p, v in zip((x, y), (vx, vy)):
        p += 0.5 * v
        for j in range(n):
            if p[j] < 0:
                p[j] = -p[j]
                v[j] = -v[j]
            elif p[j] > 2 * i:
                break
""",
    "with numbers": """
for i in range(n):
    for k, a in enumerate([x, A, C], i):
        s += k * a.sum()
    for k, (a, c) in enumerate(zip((x, y), (0.5, i))):
        a[k] += c
    for a, k in ((x, 2), (y, -1), (x, 0.5)):
        a[i] -= k
    for c in (1, 0.5, x[2], i > 3, s):
        s += c * 0.125
    for a in reversed((x, y)):
        s -= a.max()
""",
    "break, continue, else": """
for i in range(n):
    for a in (x, y, B[i]):
        if a[i] > 3:
            break
        if a[0] > i - 2:
            continue
        a += 1
    else:
        s += 1
    for a, b in zip((x, y), (A[0], A[1])):
        for j in range(3):
            if a[j] == i:
                break
            b[j] += 1
        else:
            continue
        s -= 1
        break
""",
    "names that are bound again": """
q = x * 2
for i in range(n):
    for a in (q, x, y):
        q = a + 1
        a = a * 2
        s += a.sum() - q.sum()
    for q in (q, q * 1 if False else q):
        q += 1
""",
    "names of one array": """
q = x * 2
for i in range(n):
    h = q
    for a in (h, q, x):
        h = a - i
        a += 1
    s += h.sum() + q.sum()
""",
    "arrays that are computed": """
def rates(p, q):
    return [p * 0.5 - q, q * 0.25]
def f(p, q):
    t = 0.0
    for a in (p * 2, q):
        for b in local(a):
            b += a
            t += b.sum()
    for a in (p - 1, p):
        t -= a[0]
        c = a
    return t + c[1] + a[1]
for i in range(n):
    for u, k in zip((x, y), rates(x, y)):
        u += 0.125 * k
        s += k.sum()
    for a in (x * 2, y, A[i] - 1):
        a += 1
        s += a.sum()
    y *= 0.5
for i in range(n):
    s += f(x, y) + f(y, A[1])
    x *= 0.5
for i in range(n):
    for a in local(y / 10):
        s += a[i] + y[1]
        a[0] = 9
    h = a
""",
    "in functions": """
for i in range(n):
    s += count(x, y, A[1], A[:, i]) + count(x) + count(x, f)
    for a in local(x):
        a += 1
        s += a.sum()
""",
    "an unrolled loop in another": """
for i in range(n):
    for a in (x, y):
        for b in (A[1], B[2], x):
            if b is not None and b[i] > a[i]:
                break
            b[i] -= 0.5
        else:
            s += i
            continue
        a[i] += 1
""",
    "comprehensions": """
for i in range(n):
    q, h = [a * k for k, a in enumerate((x, y), 1)]
    s += sum(a * c for a, c in zip((x, y), (0.5, i)))[i] + q.sum() + h[i]
    c = [len(e) for e in (L, K)]
    s += c[1]
""",
    "lists and strings": """
for i in range(n):
    for e in (L, K):
        s += e[i % 3]
        e[0] += 1
    for way, c in (("n", 1), ("s", -1), ("n", 0.5)):
        if way == "n":
            s += c
""",
}
LEFT = {
    "with arrays that were computed": """
for i in range(n):
    for k, a in enumerate([x * i, y + 1, A[i] * 2]):
        if i == 3 and k == 1:
            print(k, a)
            a[0] = 7
        s += a.sum()
""",
    "in the middle of a turn": """
q = x + 1
for i in range(n):
    q = q + 1
    row = A[i]
    for k, (a, c) in enumerate(((q, 1), (row, 0.5), (x, i), (y, x[2]), (q, 2 > i))):
        a += c
        if i == 4 and k % 2 == 1:
            print(k, a is q, a is x, a is y, type(c), c)
            a[0] += 1
        s += a.sum()
""",
    "in loops inside": """
q = x * 1
for i in range(n):
    for a, b in zip((x, q, y), (q, A[1], B[:, 2])):
        q = a * 2
        for j in range(n):
            if i == 3 and j == 5:
                print(b[0], q[1], a[2])
                break
            b[j] += a[j]
    else:
        s -= 1
""",
    "what raises": """
for i in range(n):
    for e in (L, K, N):
        try:
            e[i] += 1
        except IndexError:
            s += 1
    for a, e in zip((x, y), ([1, 2], [3, i])):
        a[e[1]] += 10 // (i - 4) if i < 4 else 1
        if i == 6 and e[0] == 3:
            raise ValueError(s)
""",
}
SAME = {
    "what is not unrolled": """
for i in range(n):
    for t in zip((x, y), (A, B)):
        s += t[0].sum() * len(t)
for i in range(n):
    for a, c in zip((x, y), F):
        s += a[i] * c
    for g in (math.sin, math.cos):
        s += g(i)
    for a in ():
        s += 1
for i in range(n):
    for a in (x, y):
        for j in range(n):
            row = a[j:]
            s += row.sum()
    for a in np.split(x[:6], 2):
        s += a.sum()
    for a, c in ((x, 1), (2, y, 3)) if i < 0 else ((x, 1),):
        s += c
""",
    "names after the loop": """
for i in range(n):
    for a in (x, y):
        if a[i] > 1:
            break
    a[i] += 1
    if i == 5:
        print(a is x, a is y)
print(a is y)
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
