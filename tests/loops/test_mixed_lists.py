"""Lists of integers and floats in compiled loops."""

from __future__ import annotations

import pytest

from tests.loops import test_compiled

SETUP = """
Q = [3, 0.5, -2, -0.0, 0, 7.25, 1 << 53, 4]
N = [np.float64(0.5), 3, np.float64(-1.5), 0]
R = [Q[:4], [1, 2.5]]
s = t = 0
"""
WHOLE = {
    "items": """
for k in range(9):
    for q in Q:
        s = q
        t += q * 0.5
    Q[k % 6], Q[k % 5] = Q[k % 3], Q[k % 4]
    L[k % 7] = int(Q[k % 6]) + round(Q[5])
""",
    "stores of both": """
for k in range(9):
    Q[k % 8] = k
    Q[k % 3] = k / 2
    Q[k % 5] += 1
    Q[k % 7] = max(Q[k % 4], 0)
    N[k % 4] = x[k % 7] + 1
    N[k % 3] = k
    N[k % 2] += 1
""",
    "lists that grow": """
for k in range(9):
    Q.append(k)
    Q.append(k * 0.25)
    e = Q.pop()
    if k > 6:
        R.append([Q[k], Q[-1]])
    h = [q * 0.5 for q in Q if q > 1]
    E = Q[::2] + Q[1:3]
    q = list(Q)
""",
    "distances": """
px, py = [k / 2 if k % 3 else k for k in range(12)], [k if k % 2 else 1.5 for k in range(12)]
found = []
for i in range(5):
    for j in range(5):
        best = 1e9
        for ox, oy in zip(px, py):
            best = min(best, math.hypot(ox - i, oy - j))
            s = (ox - i) ** 2 + (oy - j) ** 2
            if s <= 0.5:
                break
        found.append(best)
""",
    "searches": """
for k in range(9):
    s += (k in Q) + Q.count(k) + any(q == k for q in Q) + len(Q)
    t += sum(q * 1.5 for q in Q)
    if Q[k % 8] == Q[0]:
        t += Q.index(Q[k % 8])
""",
    "sums": """
for k in range(9):
    s, t = sum(Q[4:]), sum(Q[:k])
    s = sum(q for q in Q if q)
    t = sum(N) * 2 + sum(q * 2 for q in N)
    Q[k % 8], Q[k % 7] = Q[k % 3] * -1, float(Q[k % 4])
""",
    "sums of displays": """
for k in range(9):
    s = sum([k, 2, 0.5])
    s = sum([-0.0, k])
    s = sum([-0.0, -0.0])
    t = sum([k, 1, 2])
""",
    "the least and the most": """
for k in range(9):
    s, t = min(Q), max(Q)
    s, t = min(N), max(N[1:])
    s = min(Q[:2] + [1, 1.0])
    s, t = min([1, 1.0]), max([1.0, 1, k - 3])
    N[k % 4] = -N[k % 3]
""",
    "the least and the most of NumPy's": """
for k in range(9):
    s = min([x[k % 7], x[2]])
    s = max([u[k % 7], u[1]])
""",
    "in order": """
for k in range(9):
    h, i, j = sorted(Q), Q[3:], N[:]
    i.sort()
    j.sort()
    s = sorted([k, 1.5, 4.0, 1, 3])
    Q[k % 8], Q[k % 7] = Q[k % 3] * -1, float(Q[k % 4])
    N[k % 4] = -N[k % 3]
""",
    "lists of integers that get floats": """
Z, W = [0] * 9, [5, 6, 7]
for k in range(9):
    d = [0] * 9
    for j in range(1, 9):
        d[j] = d[j - 1] + 0.5 * (j % 3)
    s += d[k] + Z[k]
    Z[k] = k / 4 if k > 2 else k
    W.append(Z[k - 1])
""",
    "lists of two types that get wider": """
Z, W = [0] * 9, [0.5, 1.5]
for k in range(9):
    Z[k] = k / 2 if k % 2 else k
    W[k % 2] += x[k % 7]
    W.append(Z[k] * 0.5)
    s += W[-1] + Z[k - 1]
""",
    "lists of floats that get integers": """
Z, W = [0.5] * 9, [x[3], x[4]]
for k in range(9):
    d = [1.5]
    d.append(k)
    Z[k] = k
    W.append(3)
    s += d[k % 2] + Z[k - 1]
    t = W[-2]
""",
    "lists of lists": """
for k in range(9):
    R[k % 2][0] = R[0][k % 3]
    R[1][1] = k
    s = R[1]
""",
}
LEFT = {
    "integers that doubles have not": "for k in range(9):\n    Q[k % 8] = (1 << 53) + k",
    "sums that grow": "for k in range(9):\n    Q[6] += k",
    "numbers of another type": "for k in range(9):\n    Q[k % 8] = k > 3",
    "an index of integers, beside floats": """
Z, W = [0] * 9, [2, 1, 0]
for k in range(9):
    Z[W[k % 3]] = k / 2
    if k == 7:
        W[1] = k / 2
    s += Z[k]
""",
    "long integers, before floats": """
Z = [1 << 60] * 9
for k in range(9):
    s += Z[k % 5] > k
    Z[k] = k / 2
""",
    "an index": "for k in range(9):\n    s += x[Q[8 - k % 2 * 4 - 1]]",
    "NumPy's floats among Python's": "for k in range(9):\n    Q[k % 8] = x[k % 7]",
    "a long integer": "Q[2] = 1 << 60\nfor k in range(9):\n    s += Q[k % 8] * 2",
    "no number": "Q[1] = float('nan')\nfor k in range(8):\n    s += Q.count(k)\n    Q[k] = Q[1]",
    "the least of generated ones": "for k in range(9):\n    s = min(max(q, 0) for q in F)",
    "a sum that grows": """
Q = [(1 << 52) - 9, 8, 3, 5, 0.5]
for k in range(9):
    s = sum(Q[:4])
    t = sum(Q)
    Q[1] += 1
""",
    "folds of what has no order": """
Q[5] = float("nan")
for k in range(9):
    s, t = min(Q), max(Q)
    h = sorted(Q)
    Q.sort()
    Q[5], Q[6] = Q[0] * 1.0, 3
""",
    "folds of nothing": """
for k in range(9):
    s = sum(Q)
    t = max(Q)
    Q.pop()
""",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    test_compiled.assert_whole(*test_compiled.run(SETUP + WHOLE[name]))


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    test_compiled.assert_same(*test_compiled.run(SETUP + LEFT[name]))
