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
NAMED = {
    "names of lists": """
for i in range(n):
    fs = [a * i for a in (x, y)]
    s += fs[0].sum() + fs[1][i] + len(fs)
    fs[0] += 1
    fs[-1][i] = s
    for k, f in enumerate(fs):
        s += f[i] + fs[k].max()
    q = np.stack(fs)
    h = fs[1]
    h *= 0.5
    y[i] = q[0, i] + fs[1].sum()
""",
    "lists of lists that were": """
for i in range(n):
    fs = [x * i, y + 1]
    fs = [fs[1], fs[0] * 2]
    fs = [fs[1], fs[0], A[i]]
    fs = [f + fs[0] for f in fs]
    q, h, row = fs
    row += q
    s += sum(f for f in fs).sum()
    for a, f in zip((x, y, B[i]), fs):
        a += f * 0.125
""",
    "names of tuples": """
for i in range(n):
    k = A[i], x * 2, i
    h = k
    k[1][i] += k[0].sum() + k[2]
    s += h[1].sum() + len(k)
    for a, c in ((k[0], 1), (h[1], 0.5)):
        a += c
    q, h, c = k
    q -= h
""",
    "lists in loops inside": """
for i in range(n):
    for j in range(3):
        fs = [x + j, y * j]
        for t in range(2):
            fs = [fs[1] * 0.5, fs[0] + t]
        x[j] = fs[0].sum() - fs[1][i]
    if fs[0][i] > 2:
        fs = [f[:4] * i for f in fs]
    s += len(fs[0])
""",
    "lists in functions": """
def stages(p, q, count):
    fs = [p * 2, q + 1]
    for j in range(count):
        gs = [f * f for f in fs]
        fs = [gs[1] - fs[1], gs[0] * 0.125]
    fs[0] += p
    return fs
def first(fs):
    return fs[0]
for i in range(n):
    fs = stages(x, y, i % 3)
    fs = stages(fs[1], fs[0], 1)
    s += first(fs).sum()
    x *= 0.5
for i in range(n):
    h = np.stack(stages(x, x, 1))
    y[i] = first([x * i, x]).sum() + h[1, i]
""",
}
LEFT = {
    "lists that change": """
for i in range(n):
    fs = [a * i for a in (x, y)]
    for k, f in enumerate(fs):
        f += k
        if i == 4 and k == 0:
            fs.append(x)
        s += f.sum()
    for f in fs:
        if i == 5 and len(fs) < 6:
            fs.append(f)
        f -= 1
    for f, a in zip(fs, (x, y)):
        a[i] += f.sum()
        if i == 3:
            fs[1] = y
            fs.insert(0, x)
    if i == 6:
        print(fs, len(fs))
""",
    "which array is which": """
q = x + 1
for i in range(n):
    q = q + 1
    fs = [q, q * 2, x, A[i]]
    k = (fs[1], q, y, i)
    h = fs[1]
    if i % 3 == 1:
        h[0] = 9
        print(fs[0] is q, fs[1] is h, k[0] is h, fs[2] is x, k[1] is q, k, fs)
        fs[3][0] = 7
        q = fs[1]
    s += k[0].sum() + fs[0].sum() + q.sum()
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
    "names that are bound again": """
for i in range(n):
    fs = [x * 2, y]
    for f in fs:
        fs = [f, f]
        if i == 3:
            print(len(fs), f[1])
        s += fs[1].sum()
""",
    "objects among several": """
for i in range(n):
    k = (box, 1)
    s += k[0].p + k[1]
    if i == 3: print(k[0] is box)
for i in range(n):
    k = [x, box, i]
    s += k[1].q + k[2]
    if i == 3: print(k[1] is box)
def again():
    def g(t): return t
    return g
for j in range(2):
    g = again()
    for i in range(n):
        k = (g, i)
        s += k[0](1)
        if i > 2: print(k[0] is g)
k = g = None
""",
    "lists with two names": """
for i in range(n):
    fs = [x * 2, y]
    gs = fs
    gs[0] = y
    s += fs[0].sum()
for i in range(n):
    fs = [x * 2, y]
    fs[0], fs[1] = fs[1], fs[0]
    s += fs[0].sum() if fs else len(fs * 2)
for i in range(n):
    fs = [x, y]
    k = (fs, 1)
    fs.append(x)
    s += len(k[0])
box.r = [x * 2, y]
for i in range(n):
    box.r = [y * i, x]
    s += box.r[0].sum()
fs = [x, y]
for i in range(n):
    s += fs[0].sum()
    fs = [fs[1], fs[0] * 2]
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


@pytest.mark.parametrize("name", NAMED)
def test_names(name: str) -> None:
    test_compiled.assert_whole(*test_compiled.run(SETUP + NAMED[name]))


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    test_compiled.assert_left(*test_compiled.run(SETUP + LEFT[name]))


@pytest.mark.parametrize("name", LEFT_OR_WHOLE)
def test_same(name: str) -> None:
    test_compiled.assert_same(*test_compiled.run(SETUP + LEFT_OR_WHOLE[name]))
