"""Axes that are broadcast because they have one element where a loop is entered."""

from __future__ import annotations

import pytest

from tests.loops import test_compiled

SETUP = """
column, row, one = np.ones((7, 1)) / 2, np.arange(3.0)[None] - 1, np.arange(1.0)
pos, T3 = np.arange(21.0).reshape(7, 3) % 5, np.arange(21.0).reshape(3, 7).T % 4
s = 0.0
def scaled(p, q):
    return p * q + 1
"""
WHOLE = {
    "arrays with axes of one element": """
for i in range(n):
    pos = column * pos + row * i
    s += (column * column.T).sum() + (T3 * column).max() + (x * one - i).sum()
    T3 -= column * row
    q, h = scaled(column, T3), scaled(row, one)
""",
    "slices of one element": """
for i in range(n):
    p, q = pos[:, 0:1], pos[:, -1:]
    h = p.T - q
    s += (h * pos[0:1, 1:2]).sum() + (x[2:3] * x).sum() + (A[i, 3:4] - x[:-1]).sum()
    r = T3[:, 1:2] * 2 + T3[:, 2:0:-2].T
    A[:, 1:3] = pos[:, 1:2] + row[:, :2]
""",
    "all axes of one element": """
column, row = column[:1], row[:, :1]
for i in range(n):
    column = column * row + one
    s += (column.T - row).sum() + (one * column[0]).sum()
""",
}
LEFT = {
    "one element at the entry only": """
for i in range(n):
    s += (A[:1, i // 3:1] * x).sum() + (x[i:i + 1] * x).sum()
for i in range(1, n):
    s += (x[:i] * x).sum() if i in (1, 7) else (x[i:i + 1] * x).sum()
""",
    "shapes that do not fit": "for i in range(4):\n    s += (x[i:3] * x).sum()",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    test_compiled.assert_whole(*test_compiled.run(SETUP + WHOLE[name]))


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    test_compiled.assert_left(*test_compiled.run(SETUP + LEFT[name]))
