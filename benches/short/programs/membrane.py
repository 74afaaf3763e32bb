"""A wave on a membrane with damping, and a source that swings."""

import sys

import numpy as np

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 200

side = 120
x = np.linspace(0, 1, side)
X, Y = np.meshgrid(x, x)
u = np.exp(-200 * ((X - 0.3) ** 2 + (Y - 0.4) ** 2))
before = u.copy()
energy = []
for step in range(STEPS):
    laplacian = -4 * u
    laplacian[1:] += u[:-1]
    laplacian[:-1] += u[1:]
    laplacian[:, 1:] += u[:, :-1]
    laplacian[:, :-1] += u[:, 1:]
    after = 2 * u - before + 0.2 * laplacian - 0.001 * (u - before)
    after[0], after[-1], after[:, 0], after[:, -1] = 0, 0, 0, 0
    after[side // 2, side // 2] += 0.01 * np.sin(0.1 * step)
    before, u = u, after
    if step % 20 == 0:
        energy.append(float(np.sum((u - before) ** 2)))
print(" ".join(f"{value:.4f}" for value in energy))
