"""Two-dimensional finite-difference time domain: three fields updated from each other's views."""

import numpy as np

nx, ny, steps = 12, 14, 25
ex, ey, hz = (
    np.zeros((nx, ny)),
    np.zeros((nx, ny)),
    np.fromfunction(lambda i, j: i * j / nx, (nx, ny)),
)
source = np.arange(steps, dtype=np.float64)
for t in range(steps):
    ey[0, :] = source[t]
    ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
    ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
    hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
print(hz[::4, ::5].round(8), f"{ex.sum():.8f} {ey.max():.8f}")
assert np.isfinite(hz).all()
