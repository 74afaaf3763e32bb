"""A QR factorisation by Givens' rotations."""

import math
import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 70
rng = np.random.default_rng(20)
a = rng.random((n, n))
r = a.copy()
q = np.eye(n)
for j in range(n):
    for i in range(n - 1, j, -1):
        x, y = r[i - 1, j], r[i, j]
        if y == 0.0:
            continue
        h = math.hypot(x, y)
        c, s = x / h, y / h
        for k in range(n):
            upper, lower = r[i - 1, k], r[i, k]
            r[i - 1, k] = c * upper + s * lower
            r[i, k] = c * lower - s * upper
            upper, lower = q[k, i - 1], q[k, i]
            q[k, i - 1] = c * upper + s * lower
            q[k, i] = c * lower - s * upper
print(np.abs(np.tril(r, -1)).max() < 1e-12, np.allclose(q @ r, a))
print(r[0, 0], round(r[n - 1, n - 1], 10), q[0, 0])
