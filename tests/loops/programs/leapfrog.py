"""A chain of masses and springs by leapfrog, with slices."""

import sys

import numpy as np

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
n = 64
x = np.sin(np.arange(n) * 2 * np.pi / n)
v = np.zeros(n)
a = np.zeros(n)
dt = 0.05
for step in range(steps):
    v += 0.5 * dt * a
    x += dt * v
    a[1:-1] = x[2:] - 2 * x[1:-1] + x[:-2]
    a[0] = x[1] - 2 * x[0]
    a[-1] = x[-2] - 2 * x[-1]
    v += 0.5 * dt * a
energy = 0.5 * (v * v).sum() + 0.5 * ((x[1:] - x[:-1]) ** 2).sum()
print(round(energy, 6), x[:3].round(6))
