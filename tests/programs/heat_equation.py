"""Explicit heat equation with slices, in place and out of place."""

import numpy as np

u = np.zeros((24, 32))
u[0, :] = 100.0
u[:, -1] = 50.0
for _ in range(60):
    lap = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
    u[1:-1, 1:-1] += 0.2 * lap
v = u.copy()
v[1:-1, 1:-1] = (v[2:, 1:-1] + v[:-2, 1:-1]) / 2
change = np.abs(u - v).max()
print(u[1:4, ::8])
print(f"{u.mean():.6f} {change:.6f}")
