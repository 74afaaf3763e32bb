"""Gray and Scott's reaction of two substances, which grow spots."""

import sys

import numpy as np

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 200

side = 96
u, v = np.ones((side, side)), np.zeros((side, side))
u[40:56, 40:56], v[40:56, 40:56] = 0.5, 0.25
u += 0.01 * np.random.default_rng(9).random((side, side))


def laplacian(a):
    return np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1) - 4 * a


for _ in range(STEPS):
    uvv = u * v * v
    u += 0.16 * laplacian(u) - uvv + 0.035 * (1 - u)
    v += 0.08 * laplacian(v) + uvv - 0.1 * v
print(f"{u.mean():.6f} {v.max():.6f}")
