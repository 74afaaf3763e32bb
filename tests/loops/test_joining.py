"""Arrays joined along an axis, triangles and powers, in compiled loops."""

from __future__ import annotations

import pytest

from tests.loops import test_compiled

SETUP = "s = 0.0\n"
WHOLE = {
    "arrays side by side": """
for i in range(n):
    q = np.hstack([A[:, i:i + 1], B[:, :2]])
    s += np.concatenate((A, B), axis=1)[2, 8] + np.concatenate((A[:i], B), 0).sum()
    h = np.hstack([(A * d)[:, 2:4] for d in (x, B)])
    s += np.hstack((x, u * 0.5))[i] + np.concatenate([q, q[1:]], axis=-2).max()
""",
    "triangles": """
for i in range(n):
    q, h = np.triu(A, 1), np.tril(-(B * A), -i)
    s += np.sum(np.triu(A * i)) + np.tril(C, i).sum() + np.triu(A[:, :i + 1] > 0, 1).sum()
""",
    "powers of arrays": """
for i in range(1, n):
    y[:] = (x * x + 1) ** -1.5
    q = (x * x + i) ** 2.5
    q[q > 3] = q[q > 3] ** (-1.5)
    s += q.sum() + ((A * A + 1) ** 0.25).max()
    h = x**3 + f**3
""",
}
SAME = {
    "what does not fit": """
for i in range(4):
    s += np.hstack((A[:, :i + 1], B[2 - i:, :2])).sum() if i < 2 else i
for i in range(n):
    q = np.hstack([t, A.T])
    h = np.concatenate((t[:, ::2], t), axis=1)
    h = np.hstack((A, B > 1))
""",
    "triangles of other orders": """
for i in range(n):
    q, h = np.triu(t, i), np.tril(x)
    h = np.triu(S)
""",
    "powers that warn": """
for i in range(n):
    y[:] = (x - i) ** -1.5
    y[:] = (x * 1e200) ** 3
""",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    test_compiled.assert_whole(*test_compiled.run(SETUP + WHOLE[name]))


@pytest.mark.parametrize("name", SAME)
def test_same(name: str) -> None:
    test_compiled.assert_same(*test_compiled.run(SETUP + SAME[name]))
