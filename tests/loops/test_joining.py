"""Arrays joined along an axis, also a new one, triangles and powers, in compiled loops."""

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
    "arrays on top of each other": """
for i in range(n):
    q, h = np.stack((x, y)), np.stack([A, B * i], axis=2)
    s += np.stack((x[:i], A[1, :i]), -1).sum() + h[1, i, 1]
    s += np.stack((A[:, ::2], B[:, :4]), axis=1)[2, 1, i % 4]
    h = np.vstack((x, A, A[:i]))
    s += np.vstack([x, y + i])[1].sum() + h[i, 2]
    q = np.column_stack((x, A[:, 1], x[::-1], B))
    s += np.column_stack([A[:, :i], f * 0.5]).sum() + q[i, 2]
    h = np.dstack((x, y))
    s += np.dstack((A, B))[i, 1, 0] + np.dstack((A[:1, :3], h[:, :3])).sum() + h[0, i, 1]
""",
    "arrays of several types": """
for i in range(n):
    q, h = np.stack((x, u)), np.hstack((u, v, w))
    s += np.concatenate((m, u)).sum() + np.column_stack((f, x > 1, v))[i, 2] + h[i]
    h = np.vstack((f, w))
    q = np.dstack((v, w[::-1]))
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
    "other orders, and what raises": """
for i in range(4):
    try:
        s += np.stack((A[:, :i + 1], B[2 - i:, :2])).sum()
    except ValueError:
        s += 1
for i in range(n):
    q, h = np.stack([t, A.T]), np.vstack((A, t))
    q, h = np.column_stack((t, x)), np.dstack((t, C.T))
    q, h = np.stack((Z, Z)), np.vstack(A)
    q = np.stack([A[:, :1], B[:, :1]], 1)
    h = np.stack((A[:i], B[:i]), axis=i % 2)
for i in range(n):
    q = np.stack((x[:0], y[:i])) if i == 0 else q
    h = np.dstack((x[:0], y[i:i]))
    h = np.stack((x, y), axis=-2) if i % 2 else x
    q = np.dstack((x[None, :3], h[:, :3, None])) if h.ndim == 2 else np.stack((x[None], y[None]), 1)
    h = np.stack((x, y), axis=2 if i == 5 else 0)
""",
    "what does not fit": """
for i in range(4):
    try:
        s += np.hstack((A[:, :i + 1], B[2 - i:, :2])).sum()
    except ValueError:
        s += 1
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
