"""Stores by arrays of integers in compiled loops."""

from __future__ import annotations

import pytest

from tests.loops import test_compiled

SETUP = """
P = np.ones(60, dtype=bool)
h = np.zeros(9, dtype=np.int16)
q = np.array([3, 1, 3, -1, 0])
s = 0
"""
WHOLE = {
    "numbers": """
for k in range(2, 8):
    P[np.arange(k * k, 60, k)] = False
    x[u] = k
    y[q] = x[k % 5]
    h[q - 1] = k
    x[np.arange(6, k - 2, -1)] = 0.5
""",
    "arrays": """
for k in range(5):
    x[q] = y[:5] + k
    x[u] = x[::-1]
    y[q[:k]] = x[:k]
    A[k][v % 3] = B[:, k]
    u[q] = q - 1
""",
    "updates": """
for k in range(1, 6):
    h[q] += 1
    y[u] -= x / 2
    x[u % k] *= 2
    P[q * k] |= x[k] > 1
    y[np.arange(k, 7, k)] += k
""",
    "views": """
z2 = y[1:6:2]
for k in range(3):
    z2[q[:3] % 3] = k
    A[:, k][u] += 1
""",
    "no places": """
for k in range(5):
    x[q[5:]] = 3
    x[np.arange(5, k)] += 1
""",
}
LEFT = {
    "an index out of bounds": "for k in range(9):\n    x[q + k] = k",
    "an update out of bounds": "for k in range(9):\n    x[q - k] += k",
    "another length": "for k in range(1, 5):\n    x[q] = y[k:k + 5 - k // 3]",
    "one value": "for k in range(4):\n    x[q] = y[k:k + 1]",
    "another type": "for k in range(4):\n    x[q] = u[:5]\n    u[q] = 2.5",
    "a number that does not fit": "for k in range(4):\n    h[q] = 20000 * k",
    "a warning": "for k in range(4):\n    x[q] = y[:5] / k",
    "floats in integers": "for k in range(4):\n    u[q] += 0.5",
    "read-only": "x.flags.writeable = False\nfor k in range(4):\n    x[q] = k",
    "rows": "for k in range(4):\n    A[q] = k\n    A[q, 1] = k",
    "in a function that is called": """
def put(k):
    x[q] = k
    return k
for k in range(9):
    s += put(k) + 1 // (5 - k)
""",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    test_compiled.assert_whole(*test_compiled.run(SETUP + WHOLE[name]))


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    test_compiled.assert_same(*test_compiled.run(SETUP + LEFT[name]))
