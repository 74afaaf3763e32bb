"""Sums of generators that may give nothing, beside floats, in compiled loops."""

from __future__ import annotations

import pytest

from tests.loops import test_compiled

WHOLE = {
    "forward substitution": """
for i in range(n):
    x[i] = (y[i] - sum(A[i, j] * x[j] for j in range(i))) / 4
""",
    "elements": """
links = [[1, 2], [], [0], [3, 4, 5], [], [6], [0]]
for i in range(n):
    y[i] = sum(x[j] for j in links[i])
    A[i, 0] = sum(F[j] for j in links[i])
    x[i] += sum(x[j] for j in range(i - 2))
    f[i] = sum(F[j] for j in range(i - 3))
    w[i] = 3
    A[i] = sum(F[j] for j in range(i - 3))
""",
    "Python's floats": """
s = z = 0.5
for i in range(n):
    s -= sum(F[j] for j in range(i))
    z = 1.5 * sum(F[j] for j in range(i - 3)) - sum(F[j] for j in range(0))
    y[i] = z + s
""",
}
LEFT = {
    "sums alone, and before": """
for i in range(n):
    s = sum(x[j] for j in range(i))
    z = sum(F[j] for j in range(i)) * 2
""",
    "beside floats and integers of other types": """
for i in range(n):
    s = 0.5 + sum(x[j] for j in range(i))
    z = f[i] + sum(F[j] for j in range(i))
    p = i + sum(F[j] for j in range(i))
    u[i] = sum(F[j] for j in range(i - 5)) + 2
""",
    "divisions by no sum": """
for i in range(n):
    y[i] = x[i] / sum(F[j] for j in range(3 - i))
""",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    """The loop is compiled, never left, and agrees."""
    test_compiled.assert_whole(*test_compiled.run(WHOLE[name]))


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    """Where the sum of nothing shows that it is an integer, the interpreter makes the statement."""
    test_compiled.assert_same(*test_compiled.run(LEFT[name]))
