"""Particles in a box that bounce at the walls, with lists of floats."""

import sys

import numpy as np

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
n = 200
rng = np.random.default_rng(8)
xs = rng.random(n).tolist()
ys = rng.random(n).tolist()
vx = (rng.random(n) - 0.5).tolist()
vy = (rng.random(n) - 0.5).tolist()
dt, gravity, bounces = 0.01, -0.3, 0
for step in range(steps):
    for i in range(n):
        vy[i] += gravity * dt
        xs[i] += vx[i] * dt
        ys[i] += vy[i] * dt
        if xs[i] < 0.0 or xs[i] > 1.0:
            vx[i] = -vx[i]
            bounces += 1
        if ys[i] < 0.0:
            ys[i] = -ys[i]
            vy[i] = -0.9 * vy[i]
            bounces += 1
print(bounces, sum(xs), sum(ys))
print(np.mean(vx).round(12), np.mean(vy).round(12))
