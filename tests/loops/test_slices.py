"""Slices and ranges of integers whose steps are known at run time only, in compiled loops."""

from __future__ import annotations

import pytest

from tests.loops import test_compiled

SETUP = """
bounds = [-9, -8, -7, -3, -1, 0, 2, 6, 7, 8, 1 << 62, -(1 << 63)]
steps = [1, 2, 3, 7, 9, (1 << 63) - 1, -1, -2, -3, -8, -(1 << 63)]
P = np.arange(60) % 7
s = 0
COLUMNS = ((slice(1, -1), slice(0, -2), slice(2, None)), (-1, -2, 0), (0, -1, 1))

def relax(a, b, weight):
    for here, west, east in COLUMNS:
        a[1:-1, here] += weight * (b[1:-1, west] - b[1:-1, east])
    return COLUMNS[1][0]
"""
WHOLE = {
    "slices of arrays": """
for c in steps:
    for a in bounds:
        for b in bounds:
            s += (x[a:b:c] * 2).sum() + len(x[a::c]) + x[:b:c].size
            y[a:b:c] += 1
            y[::c] -= x[::c] / 2
            A[a:b:c, ::c] = B[a:b:c, ::c] + 1
""",
    "slices of lists": """
for c in steps:
    for a in bounds:
        for b in bounds:
            s += sum(L[a:b:c]) + len(L[a::c]) - len(L[:b:c])
""",
    "a sieve": """
for i in range(2, 60):
    if P[i] == 3:
        P[i::i] = 0
    P[i * i::i] -= 1
    P[:-i:-i] += 2
""",
    "steps of NumPy's, and small ones": """
for i in range(1, 7):
    k = u[i] + 1
    x[::k] = k
    s += x[::v[i] + 3].sum() + x[::i % 3 + 1].sum() + x[::-(i & 3) - 1].max()
""",
    "slices in tuples": """
for i in range(5):
    for here, west, east in COLUMNS:
        A[:, here] += A[:, west] * 0.5 - B[:, east]
        A[here] -= i
    s += relax(B, A, 0.25)
""",
    "variables bound to slices in turn": """
p, q = COLUMNS[0][:2]
for i in range(6):
    for columns in COLUMNS:
        p, q, r = columns
        A[q, 1] += i
    x[p] += 1
    s += x[q]
    q, t = COLUMNS[0][0], q
    x[q] -= 0.5
""",
    "other slices at other entries": """
def shifted(parts, k):
    for i in range(4):
        for first, second in parts:
            x[first] += y[second] + k * i
            y[second] -= i
for k in range(9):
    parts = ((slice(k % 3, 3 + k % 3), slice(0, 3)), (slice(None, 2), slice(2, 4)))
    shifted(parts, k)
    shifted(parts[::-1], k)
    shifted(((1, 2), (k % 5, 0)), k)
""",
    "ranges": """
for c in (1, 2, 3, 7, 9, 1 << 40, -1, -2, -3, -8, -(1 << 40)):
    for a in range(-9, 9):
        for b in range(-9, 9):
            s += np.arange(a, b, c).sum() + len(np.arange(a, b, c))
            y[:len(np.arange(a, b, c)) % 8] += 1
for i in range(1, 30):
    q = np.arange(i, 40, i)
    s += P[np.arange(i, 60, i)].sum() + q[-1] + np.arange(u[2], 40, i).sum()
""",
}
LEFT = {
    "slices of tuples that do not fit": """
for i in range(3):
    for here, west, east in COLUMNS:
        A[1:, here] += A[:-2, west]
""",
    "a step of zero": "for i in range(5):\n    y[::3 - i] = i",
    "a step of zero, of a list": "for i in range(5):\n    L = L[::3 - i]",
    "a step of zero, of a range": "for i in range(5):\n    y[:2] = np.arange(2, 4, 3 - i)[:1]",
    "a step that is no integer": "for i in range(5):\n    y[::x[i] + 4] = i",
    "a wide range": "for i in range(5):\n    q = np.arange(0, (1 << 60) + 1, 1 << 58 - i // 4)",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    test_compiled.assert_whole(*test_compiled.run(SETUP + WHOLE[name]))


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    test_compiled.assert_same(*test_compiled.run(SETUP + LEFT[name]))
