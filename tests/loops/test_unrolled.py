"""Tuples and lists of arrays, or of values of several types, in compiled loops."""

from __future__ import annotations

import pytest

from tests.loops import test_compiled

SETUP = """
s = 0.0
def parts(p):
    columns = p[:, 0:1], p[:, 1:2], p[:, 2:3]
    return [column.T - column for column in columns]
def both(p):
    return p * 2, p[1:] - 1, 3
def local(p):
    q = p + 1.0
    h = p * q
    return q, h
"""
WHOLE = {
    "a list of arrays, unpacked": """
for i in range(n):
    q, h, row = parts(A)
    s += q[1, 2] + h.sum() * i + row.max()
    q, h = [d * i for d in (x, A)]
    h += 1
""",
    "arrays of several lengths": """
q = x
for i in range(n):
    q, h = [d * 2 for d in (x[:i % 3 + 1], x[:3])]
    s += q.sum() + len(q) + len(h) * i
    q, h = [d + 1 for d in (np.concatenate((q, h)), q)]
    s += q.sum() + len(q) + len(h) * i
    q, h = q[:2] * 1, q * 2
    s += h.sum() + len(h)
""",
    "a list of numbers": """
for i in range(n):
    c = [(q * x).sum() for q in (x, y, A)]
    s += sum(c) + sum([abs(q).max() for q in (B, x)])
    d = [q * 2 for q in (i, 0.5)][1:]
    y[i] = s
""",
    "sums of arrays": """
def total(p):
    a, b, c = parts(p)
    return sum(q * q for q in (a, b, c)).sum() + sum(q * k for q, k in ((a, 2), (b, 0.5))).sum()
for i in range(n):
    s += total(A) + sum(q for q in (x, y)).sum()
    A[i] += 1
""",
    "tuples of new arrays": """
for i in range(n):
    q, h, a = both(x)
    h += 1
    h, q = h + 1, h * 2
    row = both(x)[0]
    row -= i
    s += h.sum() + both(y)[1].sum() + row[2] + q.sum()
    y[i] = s
""",
    "arrays of functions that are called": """
q = x * 0.5
for i in range(n):
    q, h = local(q / 4)
    row = local(q)[1]
    h += 1
    row *= 2
    s += q.sum() - h[0] + row.sum() + local(x)[0][i]
    A[i], B[i] = q.sum(), h.sum()
""",
    "a name that is bound again in a function": """
def f(a):
    p = a + 1.0
    q = p
    p = a * 2
    return (p - q).sum()
for i in range(n):
    s += f(x) * i
    x[i] = s
""",
    "an argument that is returned": """
def same(a):
    return a
q = x + 1
for i in range(n):
    q = q + 1
    h = same(q)
    h += 1
    s += q.sum()
    row = same(h * 2)
    row += 1
""",
    "arrays that grow": """
q = np.arange(9.0)
for i in range(11):
    q, h = np.concatenate((q, q)), q * 2
    s += h.sum() * i - len(q)
""",
}
LEFT_OR_WHOLE = {
    "an array that has two names": """
def f(a):
    p = a + 1.0
    return p, p
for i in range(n):
    q, h = f(x)
    h += 1
    s += q.sum()
""",
    "a part of an array that has a name": """
def f(a):
    p = a + 1.0
    return p, p[2:]
def g(t):
    h = t[0]
    h += 1
    return t[0].sum()
for i in range(n):
    q, h = f(x)
    h += 1
    s += q.sum() + g(f(x)) + g(both(x))
""",
    "a name for a tuple of arrays": """
for i in range(n):
    q = x + i
    k = (q, i)
    q = x * 2
    s += k[0].sum() * i
for k in zip(A, x):
    s += k[0].sum() * k[1]
for i in range(n):
    k = (A[i], B[i])
    s += k[0].sum()
""",
    "what lists have": """
def f(a):
    return [q * 2 for q in (a, A)]
for i in range(n):
    q = f(x)
    q.append(i)
    s += len(q)
for i in range(n):
    c = f(x)
    c[0] = i
for i in range(3):
    print(f(x), f(x) == f(x) if i > 3 else 0, isinstance(f(x), list))
for i in range(n):
    s += len([q for q in (x, A) if q.sum() > i]) + len(f(x) + [1])
""",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    test_compiled.assert_whole(*test_compiled.run(SETUP + WHOLE[name]))


@pytest.mark.parametrize("name", LEFT_OR_WHOLE)
def test_same(name: str) -> None:
    test_compiled.assert_same(*test_compiled.run(SETUP + LEFT_OR_WHOLE[name]))
