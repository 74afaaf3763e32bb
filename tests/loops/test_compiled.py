"""Compiled loops give what the interpreter gives: values and their types, warnings, errors, and
what
was stored before them. The interpreter is the oracle: each source is run both ways.
"""

from __future__ import annotations

import _thread
import ast
import linecache
import threading
import time

import fastnp
import numpy
import pytest
from fastnp._loops.rewrite import compile_tree
from fastnp._loops.site import Site

from tests.loops.compare import check_compiled, differing, outcome
from tests.loops.numeric_setup import SETUP

# Loops that are compiled as a whole: no statement of them is left to the interpreter.
WHOLE = {
    "more scratch memory than the first stack has": """
w = np.cos(np.arange(500.0))
for i in range(3):
    z = w + i
    z[:] = np.sort(w * 2) + np.sort(w * 3) + np.sort(w * 4) + np.sort(w * 5) + np.sort(w * 6)
    z[:] = z + (
        np.sort(w - 1) + np.sort(w - 2) + np.sort(w - 3) + np.sort(w - 4) + np.sort(w - 5)
        + np.sort(w + 1) + np.sort(w + 2) + np.sort(w + 3) + np.sort(w + 4) + np.sort(w + 5)
        + np.sort(z * 1) + np.sort(z * 2) + np.sort(z * 3) + np.sort(z * 4) + np.sort(z * 5)
        + np.sort(z + 1) + np.sort(z + 2) + np.sort(z + 3) + np.sort(z + 4) + np.sort(z + 5)
    )
    x[:] = z[:7]
""",
    "lengths that are Python's or NumPy's": """
for i in range(n):
    k = max(u[i], 1)
    x[i] = np.full(k, 1.5).sum() + np.zeros((k, 2)).size
""",
    "Gauss-Seidel": """
for t in range(3):
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            A[i, j] = (A[i-1, j] + A[i, j-1] + A[i, j] + A[i, j+1] + A[i+1, j]) / 5.0
""",
    "rank update of a triangle": """
for i in range(n):
    A[i, :i + 1] *= 1.5
    for k in range(n):
        A[i, :i + 1] += 2.0 * B[i, k] * B[:i + 1, k]
""",
    "Cholesky-like": """
B += np.eye(7) * 64
for i in range(n):
    for j in range(i):
        B[i, j] -= np.dot(B[i, :j], B[j, :j])
        B[i, j] /= 64
    B[i, i] -= B[i, :i] @ B[i, :i]
    B[i, i] = np.sqrt(abs(B[i, i]))
""",
    "dynamic programming": """
best = 0
for i in range(1, n):
    for j in range(n - 1, 0, -1):
        score = 2 if u[i] == v[j] else -1
        v[j] = max(v[j - 1] + score, v[j] - 1)
        if v[j] > best:
            best, where = v[j], (i, j)
""",
    "minimum of a Python and a NumPy number": """
for i in range(n):
    low = min(0, u[i] - 2)
    y[i] = max(0.5, x[i]) + low
""",
    "checksum": """
crc = 0xFFFF
for b in w:
    byte = 0xFF & b
    for _ in range(8):
        if (crc & 1) ^ (byte & 1):
            crc = (crc >> 1) ^ 0x8408
        else:
            crc >>= 1
        byte >>= 1
""",
    "sparse rows": """
for i in range(n - 2):
    y[i] = x[i:i + 2] @ x[u[i:i + 2]]
""",
    "selections and products of matrices": """
for i in range(n):
    y[i] = x[m].sum() + len(x[x > i]) + x[x > 1].size
    A[:] = B[u] - B[u, i % 3] + B[u, v] / 2
    A[:, :2] = B @ B[:, :2] / 64
""",
    "reductions along axes": """
for i in range(n):
    y[:] = A.sum(axis=0) + A.max(1) - np.mean(B[:, :4], axis=-1)
    A /= 1 + abs(B).max(axis=1, keepdims=True)
    B[:] = x[:, None] * x + (B > i).any(axis=0)
    s = x.argmin() + np.argmax(A) + u.max()
""",
    "filters, and windows": """
images = (np.arange(2 * 6 * 5 * 3).reshape(2, 6, 5, 3) % 11 - 4).astype(np.float32)
filters = (np.arange(2 * 2 * 3 * 6).reshape(2, 2, 3, 6) % 7 - 3).astype(np.float32)
out = np.zeros((2, 5, 4, 6), np.float32)
K, size = 2, 3
for i in range(5):
    for j in range(4):
        patch = images[:, i : i + K, j : j + K, :, np.newaxis]
        out[:, i, j, :] = np.sum(patch * filters[np.newaxis, :, :, :], axis=(1, 2, 3))
for i in range(2):
    window = images[:, 2 * i : 2 * i + size, i : i + 4]
    y[i] = window.mean(axis=(2, 0, 1))[i] + np.sum(window, axis=(0, 3)).min()
    y[i + 2] = (window > i).all(axis=(-1, 1, 2))[i] + np.abs(window).max(axis=(1, 2))[0, i]
    top = np.max(window * 2.0, axis=(1, 2), keepdims=True)
""",
    "aliased slices": """
for i in range(2):
    x[1:] = x[:-1] + i
    x[:-1] += x[1:]
    A[1:, 1] = A[:-1, 1] - A[1:, 2]
    A[0, ::-1] = A[:, 0]
""",
    "an array and its transpose": """
T = A.T
for i in range(3):
    T[0, ::-1] = T[:, 0] + 1
""",
    "views in variables": """
for i in range(n):
    row = A[i]
    column = A[:, i]
    row[i] = column[0] + row[-1]
    even = row[::2]
""",
    "enumerate, zip, reversed": """
for i, (p, q) in enumerate(zip(x, u), 1):
    y[i % 7] += p * q
for k in reversed(range(n)):
    s = k
for row in A:
    row[0] = row[1]
""",
    "while, break, else": """
p, count = 27, 0
while p != 1:
    p = p // 2 if p % 2 == 0 else 3 * p + 1
    count += 1
    if count > 500:
        break
else:
    s = count
""",
    "math": """
total = 0.0
for i in range(1, n):
    total += math.sin(i) * math.exp(-i / 4) + math.sqrt(i) ** 1.5 + math.floor(i / 2)
    total -= math.atan2(i, 2) + math.log(i) + i % 2.5 + i // 0.75
    total += math.pow(i, 1.5) + math.pow(-2, i) + math.fmod(-i, 2.5)
""",
    "ufuncs of numbers": """
for i in range(n):
    y[i] = np.exp(-x[i]) + np.sin(x[i]) * np.hypot(x[i], 2.0) + np.float32(0.5)
    f[i] = np.tanh(f[i])
""",
    "functions": """
for i in range(n):
    y[i] = plus(x[i], 2.0) + steps(i * 11)
""",
    "new arrays": """
def slope(p, at):
    return np.array([p[1] - p[0], -p[0] * at, p[2]])
p = np.array([1.0, 2.0, 0.5])
for i in range(n):
    k1 = slope(p, i)
    k2 = slope(p + 0.5 * k1, i + 0.5)
    p = p + 0.25 * k2
    old = p.copy()
    fresh = np.zeros(3)
    fresh[1:] += x[:2]
    p *= 2
    q = -A[i, 1:] * 2
    q = q + q[0]
""",
    "several targets": """
m = [0, 1, 2, 3, 4, 5, 6, 7]
for i in range(n):
    s = t = i * 0.5
    x[i] = y[i % 3] = s + 1
    u = A[i, 0] = m[i] = i // 2
    A[0, i] = A[i, 0] = A[i, i] = s
""",
    "element types of new arrays": """
for i in range(n):
    u = np.zeros(4, dtype=float)
    u[1:] += x[:3]
    v = np.ones((2, 3), np.float32)
    v[i % 2, 1] = x[i] / 3
    w = np.zeros(3, dtype=np.int32)
    w[i % 3] = i * 7
    k = np.ones(3, dtype=int)
    k[i % 3] -= i
    e = np.empty(2, dtype=np.float64)
    e[0] = v[0, 1] + w[0] + k[1] + u[2]
    e[1] = e[0] - 1
    x[i] = e[1]
""",
    "arrays like others": """
for i in range(n):
    u = np.zeros_like(x[::2])
    u[1:] += x[:u.size - 1]
    v = np.ones_like(A)
    v[i % 2, 1:] -= B[i, 1:]
    w = np.empty_like(v[0])
    w[:] = v[1] + u[1]
    x[i] = w[2]
""",
    "choices by running sums": """
for i in range(n):
    c = np.cumsum(B[i])
    k = np.searchsorted(c, c[-1] * i / 7)
    j = np.searchsorted(np.cumsum(u[1:]), i)
    y[i] = k + j + np.searchsorted(c, i)
    x[:5] = np.cumsum(x[2:])
""",
    "powers of integers": """
for i in range(n):
    y[i] = 2 ** i + (-3) ** (i % 4) + i ** i + 2 ** 40
""",
    "new arrays in the order of their operands": """
S = np.arange(24.0).reshape(2, 3, 4).T
V = np.arange(24.0).reshape(2, 3, 4).transpose(1, 0, 2)
for i in range(n):
    a = A.T * 2
    b = np.copy(t) + A
    c = (a - 1)[1:] * 3
    d = np.where(V > i, V, 0.5)
    e = S.sum(axis=0) + S[i % 4].T.T
    g = np.zeros_like(S)
    g[i % 4, 1:] += V[1:, 0, :2]
    h = S.copy() + i
    k = S[u[:3] % 4] - 1
    a = a + t
    x[i] = a[i, 0] + e[1, 1] + g[0, 1, 1] + c[2, i]
""",
    "a name that no turn binds, to numbers of two types": """
def work(a, c):
    j = 0
    for i, a in zip(range(n), w):
        if a == 64:
            c = 5
            for c in u:
                u[j % 7] += 2.5
    return c
found = [work(4, np.int64(1)), work(4, 2.5)]
""",
    "two names of a new array": """
board = np.zeros(5)
for i in range(n):
    new = np.zeros(5)
    new[i % 5] = board[i % 3] + 1
    board = new
    board[0] += new[1]
    first = new
    new = new + 1
    p, q = board, new
    p, q = q, p
    p[1] -= q[0]
""",
    "slices that are objects, whole powers": """
inside = slice(1, -1)
for i in range(n):
    A[inside, i] = B[i, inside] * 2 - A[inside, i]
    s = (0.5 - i) ** 3 + (-1.0) ** 2 + pow(i, 3) + pow(0.5 * i, 2) + pow(2, i) + pow(x, 2)[1]
""",
    "views that outlive the loop": """
for i in range(n):
    a = A[i, :, None]
    b = A[::-1, i:]
    c = C[1:, 5 - i // 2]
    d = t[i:, ::-2]
    e = x[i:i]
    y[i] = a[i, 0] + b[i, 0] + c[0] + d[0, 1]
""",
    "types that change": """
acc = 0
for i in range(n):
    acc = acc + x[i]
    if i == 3:
        new = acc
""",
    "float32 and small integers": """
for i in range(n):
    f[i] = f[i] * 3 + x[i]
    w[i] = w[i] // 2 + 1
    v[i] -= i
    m[i] = f[i] > 2 and not m[i]
""",
    "parts filled with numbers of other types": """
for i in range(7):
    x[1:3] = i
    A[:, i % 2] = u[i]
    v[2:] = i * 3
    f[i:] = x[i]
    m[i:] = i % 2
    w[:2] = u[i]
    x[4:] = m[0]
""",
    "searches in tuples and lists": """
for i in range(n):
    p, q = (i % 4, u[i], 3), (x[i], 2.5, -1.0)
    s = min(p) + max(p) * 10 + p.index(3) + p.count(3) + sum(q) + max(q) + L.index(9) + F.count(8.0)
    y[i] = s + q.index(-1.0) + L.index(max(L)) + [0.5, -1.0, 7.5].index(7.5)
""",
    "searches in arrays": """
for i in range(n):
    if i in u: y[i] += 1
    if i not in A: y[i] += 10
    if 2.5 * i in A[:, 1] or i in w[::2] or x[i] in f: y[i] += 100
    m[i] = True in m[:i]
    s = x[i] in x
""",
    "norms": """
for i in range(n):
    x[i] += 0.5
    y[i] = np.linalg.norm(x, ord=np.inf) + np.linalg.norm(x, 1) + np.linalg.norm(x, -np.inf)
    s = np.linalg.norm(x, 2) - np.linalg.norm(A) + np.linalg.norm(A - i) + np.linalg.norm(x[1:])
    x[:] = np.linalg.norm(A, axis=1) + np.linalg.norm(B, axis=0) + np.linalg.norm(A, 1, 0)
    y[:] -= np.linalg.norm(A, np.inf, axis=1, keepdims=True)[:, 0]
""",
    "rows under masks": """
for i in range(n):
    m[i] = x[i] > 0.5 * i
    s = A[m].sum() + B[~m].shape[0] + S.shape[1] + C[m[:4]].sum()
    y[:] = A[~m].sum(axis=0) - i
    A[m] *= 0.5
    B[~m] += i
    A[x > i] = u[i]
    B[A > 1] = 0
""",
    "values under masks": """
for i in range(n):
    x[x > i - 3] = x[x > i - 3] ** 2 / 8 - 0.5
    A[A > 1] = 1.5 * A[A > 1] - i
    B[B < A] *= B[B < A] + 1
    y[m] = x[m] * i
    C[C > 2] += C[C > 2] / 4
    t[t < -i] = A.T[t < -i] * 0.5
    f[f > i] -= f[f > i] * 0.5
    u[u > 2] = u[u > 2] - 1
    x[~m] = x[:int((~m).sum())]
    y[y > 1e9] = y[:0]
""",
    "arguments with a star": """
def force(t, p, *rest):
    return p * rest[0] - t * rest[1] + len(rest)
def step(g, p, t, h, *rest, scale=1.0):
    k = g(t, p, *rest)
    return p + h * scale * (k + g(t + h, p + h * k, *rest)) / 2
def alone(*all):
    return all[-1] + len(all)
z = 0.5
for i in range(n):
    z = step(force, z, i, 0.125, 0.5, 2)
    x[:] = step(force, x, i, 0.25, -0.5, x[0], scale=0.5)
    y[i] = alone(i, 2) + alone(*W[1]) + alone(*(i, z))
""",
    "vectors one after another": """
for i in range(n):
    y[:] = np.concatenate((x[i:] * 2, y[:i]))
    x[:] = np.hstack([A[i, :3] - i, B[:4, i]])
    s = np.concatenate([x[::-2], y[1:1], A[i]]).sum() + np.hstack((u, u[::-1] + i)).max()
""",
    "finite and infinite numbers": """
z = np.array([0.5, np.nan, np.inf, -np.inf, -0.0, 1e308, 2.0])
f[1], f[2], f[3] = np.nan, np.inf, 1e37
count, c, d = 0, [], []
for i in range(n):
    p = max(F[i], x[1])
    if math.isnan(z[i]) or math.isinf(f[i] * 4) or not math.isfinite(i): count += 1
    if np.isnan(p) or np.isfinite(f[i]) and not np.isinf(z[i]): y[i] = i
    c.append(np.isnan(f[i]))
    d.append(math.isinf(z[i] * 2.0 if i != 5 else 1.0) != np.isfinite(F[i]))
""",
    "error functions": """
for i in range(n):
    y[i] = math.erf(x[i] * 0.5) + math.erfc(i - 2) * math.erf(-0.0)
""",
    "matrices with ones on the diagonal": """
for i in range(n):
    G2 = np.eye(3) * x[i] + np.identity(3)
    A[:3, :3] = G2 @ B[:3, :3] - np.eye(3)
    y[i] = np.eye(2, i + 1).sum() + np.eye(4)[1].sum()
""",
    "a stack of pairs of NumPy's numbers": """
st = [(u[0], x[0])]
for i in range(n):
    p, q = st.pop()
    y[i] = p + q
    st.append((u[i] % 5, x[i] * 0.5))
    st.append((p, q))
    if st[0][0] == p: y[i] += st[-1][1]
    st[0] = st[-1]
""",
    "tuples stored to rows of other types": """
R, S, T = np.zeros((3, 2), np.int32), np.zeros((3, 2), "f4"), np.zeros((3, 2), np.uint8)
for i in range(n):
    p, q = R[i % 3]
    R[(i + 1) % 3] = p + 1, q
    R[:, 0] = i, p, i + 1
    S[i % 3] = x[i], f[i]
    T[i % 3] = u[i] % 3, i
    v[i % 3] = R[i % 3, 0] + T[i % 3, 1]
    y[i] = S[i % 3].sum() + R.sum()
""",
    "quotients and remainders": """
for i in range(n):
    a, b = divmod(i * 7 - 20, 3)
    c = divmod(a - 2, -4)
    z, s = divmod(F[i], 0.75)
    if divmod(i, 2)[1] == 1: y[i] = c[0] - c[1] + z * 4 + s
""",
    "rounded": """
for i in range(n):
    x[:] = x - 2 * np.round(x / 2) + np.round(x * i, 0)
    A[i] -= np.around(A[i] / 3 + B[:, i])
    f[:] = np.round(f * 1.25)
    y[i] = np.round(x[i] * 0.75) + np.round(2.5) + np.round(f[i])
""",
    "integers or floats": """
for i in range(n):
    p, q = max(x[i], 0), min(1, F[i])
    y[i] = p * 0.5 + q - max(u[i] * 0.25, 1) / 2.0
    s = (F[i] if i % 2 else 3) * 2
    z = abs(-q) * x[i] + (0 if x[i] < 0 else x[i])
    f[i] = v[i] = p
    m[i] = p > i or q == 1
    if p: y[i] += math.sqrt(max(F[i], 0)) + (p + 1) * (p - 2) + np.sqrt(abs(float(q)))
    a, b = q - 2, p * -1
    c = max(0, F[i], 1)
""",
    "variances": """
for i in range(n):
    x[i] *= 2
    y[i] = x[:4].var() + np.std(x[3:]) + np.var(A[i, 2:4], ddof=1) + B[:4, 1:5].var()
    f[:] = A[:4].std(axis=0) + np.var(B[:, 2:6], 1) + A[3:].std(axis=0, keepdims=True)[0]
    s = (x[1:5] - i).std(ddof=-4)
""",
    "ranges and arrays that are moved": """
for i in range(n):
    x[:] = np.roll(x, 1) + np.roll(y, -i) * 0.5 - np.roll(u + i, 3 * i)
    A += np.roll(A, 2, axis=0) + np.roll(B, -1, 1) - np.roll(B.T, i, axis=-1) * 2
    A %= 64
    y[:] = np.linspace(-1, i + 1, 7) + np.linspace(0.5, 8, n) + np.arange(n) * 0.25
    B[:3, :5] = np.outer(x[:3], u[:5]) + np.arange(i, i - 15, -3) + np.linspace(0, 98)[2::10]
    s = np.diff(x).sum() + np.diff(A[:, i])[0] + np.diff(B)[1, 2] + np.arange(3, i).sum()
    s += np.roll(np.arange(9), i)[2]
""",
    "signs and complements of arrays": """
for i in range(n):
    y[i] = (-u)[i] + abs(u - 3).sum() + (~u).sum() + (~v)[i] + (-A)[i, 0]
    m[:] = ~(m & ~(u > i))
    s = np.abs(u - i).max()
""",
}

# Loops that run into what compiled code leaves to the interpreter.
LEFT = {
    "a range that has a name": """
evens = range(0, n, 2)
for i in range(n):
    r = evens
    if i > 4:
        print(r, i)
""",
    "index error": "for i in range(9):\n    x[i] = i\n",
    "integer that outgrows 64 bits": "p = 3\nfor i in range(60):\n    p = p * 3\n",
    "integer division by zero": "for i in range(5):\n    s = 7 // (3 - i)\n",
    "float division by zero": "for i in range(5):\n    s = 0.5 / (3 - i)\n",
    "NumPy's division by zero": "for i in range(7):\n    y[i] = 1 / x[i]\n",
    "NumPy's overflow": "z = x[6]\nfor i in range(700):\n    z = z * 8.0\n",
    "wrapping integer": "for i in range(7):\n    w[i] = w[i] * w[i]\n",
    "int32": "for i in range(40):\n    v[6] = v[6] * 2\n",
    "array warning half way": "for i in range(3):\n    x[::-1] = 1 / x\n",
    "stored before an error": "for i in range(9):\n    y[i] = 2\n    A[i, 0] = -1\n",
    "unbound": """
for i in range(3):
    if i == 2:
        print(late)
    if i > 5:
        late = 1
""",
    "shapes": "for i in range(3):\n    x[i:] = y[:4 + i]\n",
    "printing in a rare branch": """
for i in range(7):
    if u[i] == 3:
        print(i)
    s = i
""",
    "math overflow": "for i in range(400):\n    s = math.pow(9, i)\n",
    "math domain of powers": "for i in range(4):\n    s = math.pow(2 - i, 0.5)\n",
    "math domain": "for i in range(4):\n    s = math.sqrt(2 - i)\n",
    "a global of a function": """
factor = 2
def scaled(p):
    return p * factor
for i in range(n):
    factor = factor + 1
    if i > 2:
        s = scaled(i)
""",
    "a number of Python's or NumPy's that does not fit": """
for i in range(n):
    v[1:3] = max(u[i], 1) * 3000000000
    w[i] = max(200, u[i]) + i * 20
""",
    "a number that is in no tuple": "for i in range(n):\n    y[i] = (i, 2, 3).index(2 + i // 3)\n",
    "a nan among numbers that may be integers": """
z = x[0] * math.nan
for i in range(n):
    p = max(z, i)
    y[i] = (p in (p, 3)) + 2 * (p in (i, 7))
""",
    "a number that is in no list": "for i in range(n):\n    y[i] = L.index(4 + i // 5)\n",
    "norms of other orders": """
for i in range(n):
    y[i] = np.linalg.norm(A.T) + np.linalg.norm(C) + np.linalg.norm(A[:, 1:i])
""",
    "too few numbers for a variance": """
for i in range(5):
    y[i] = np.var(x[i:i + 4 - i], ddof=2)
""",
    "integers that no float holds": """
p = 1 << 52
for i in range(n):
    s = max(x[i], p)
    p = p * 2 + 1
    q = min(F[i], 1) * 4503599627370497 * (i + 1)
""",
    "ranges of nothing": """
for i in range(n):
    y[i] = np.linspace(0, i - 2, 5).sum() + np.arange(3, i).sum() + np.diff(x[:i]).sum()
    s = np.roll(x[:i - 2], 1)
""",
    "a mask of another length": "for i in range(n):\n    s = A[m[:i]].sum()\n    B[m[i:]] = i\n",
    "more and fewer values than a mask takes": """
for i in range(n):
    y[m] = i
    x[x > i - 2] = y[:4]
""",
    "an update in place that overflows half way": """
B[2, 3] = 1e300
for i in range(n):
    B[i % 7] *= 1e10
    B[:, i % 7] -= B[2] * x[:7]
""",
    "an update in place of a view with steps, invalid half way": """
x[4] = np.inf
for i in range(3):
    x[::2] -= x[::2] * 0.5
    x[::-2] += y[::-2]
    x[1::3] /= i - 1
""",
    "a store that overflows half way, of other arrays": """
y[3] = 1e300
for i in range(4):
    x[:] = y * 1e9 + i
    A[:, 0] = y * (1e6 + i)
""",
    "one value for all that a mask takes": """
for i in range(n):
    x[x > i - 2] = y[i:i + 1] + i
    A[A > 3] += y[i:i + 1]
""",
    "a quotient by zero": "for i in range(n):\n    a, b = divmod(9, 4 - i)\n    y[i] = a\n",
    "negative power": "for i in range(3):\n    s = (-8.0 + i) ** 0.5\n",
}


def run(source: str, is_eager: bool = True) -> tuple[list[Site], str]:
    """The sites of a program that ran compiled, and how it differed from the interpreter's run."""
    source = SETUP + source
    linecache.cache["program.py"] = (len(source), None, source.splitlines(True), "program.py")
    expected = outcome(compile(source, "program.py", "exec", dont_inherit=True))
    code, unit = compile_tree(ast.parse(source), "program.py")
    for site in unit.sites:
        site.is_eager = is_eager
    return unit.sites, differing(expected, outcome(code))


def assert_whole(sites: list[Site], difference: str) -> None:
    """The program agrees, and its loops that ran compiled were never left."""
    assert not difference
    assert any(site.runs for site in sites), [site.refusals for site in sites]
    assert not any(site.leaves for site in sites), [site.leaves for site in sites]


def assert_left(sites: list[Site], difference: str) -> None:
    """The program agrees, and the interpreter ran some of its loops' statements."""
    assert not difference
    assert any(site.leaves for site in sites)


def assert_same(_sites: list[Site], difference: str) -> None:
    """The program agrees, whatever was compiled."""
    assert not difference


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    """The loop is compiled, never left, and agrees."""
    sites, difference = run(WHOLE[name])
    assert not difference
    ran = [site for site in sites if site.runs]
    assert ran
    for site in ran:
        assert not site.leaves, [compiled.describe() for compiled in site.compiled]


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    """The interpreter goes on where compiled code cannot: same values, warnings, errors, places."""
    assert_left(*run(LEFT[name]))


@fastnp.jit
def count(turns: int) -> int:
    """Counts, and nothing else."""
    counted = 0
    for _ in range(turns):
        counted += 1
    return counted


@pytest.mark.usefixtures("interruptible")
def test_interrupt_and_threads() -> None:
    """A long compiled loop lets other threads run, one of which interrupts it, each time soon."""
    for _ in range(5):
        before = time.perf_counter()
        timer = threading.Timer(0.05, _thread.interrupt_main)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            count(1 << 40)
        timer.join()
        assert time.perf_counter() - before < 10


def test_explain() -> None:
    """`explain` tells the types and the intermediate code."""
    count(10)
    text = fastnp.explain(count)
    assert "the iterator: range" in text
    assert "counted: int" in text


def test_underflow_that_is_asked_about() -> None:
    """Where the program asks about underflow, loops are the interpreter's."""

    @fastnp.jit
    def shrink(z: float) -> float:
        for _ in range(400):
            z = z * 0.125
        return z

    assert shrink(numpy.float64(1)) == 0
    with numpy.errstate(under="raise"), pytest.raises(FloatingPointError):
        shrink(numpy.float64(1))


@pytest.mark.parametrize("seed", range(0, 240, 20))
def test_random_programs(seed: int) -> None:
    """Random loops over numbers and arrays, compiled at once or after some turns."""
    for one in range(seed, seed + 20):
        source, difference = check_compiled(one)
        assert not difference, source
