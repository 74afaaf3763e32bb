"""Molecular dynamics of a fluid in two dimensions, with lists of the atoms in cells."""

import math
import sys

import numpy as np

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 140
side = 12
n = side * side
cutoff = 2.5
box = math.sqrt(n / 0.6)
cells_in_row = int(box / cutoff)
cell = box / cells_in_row


def nearest(d):
    if d > box / 2:
        return d - box
    if d < -box / 2:
        return d + box
    return d


def forces(pos):
    f = np.zeros((n, 2))
    potential = 0.0
    cells = [[[] for _ in range(cells_in_row)] for _ in range(cells_in_row)]
    for i in range(n):
        cells[int(pos[i, 0] / cell) % cells_in_row][int(pos[i, 1] / cell) % cells_in_row].append(i)
    for cx in range(cells_in_row):
        for cy in range(cells_in_row):
            for ox in (-1, 0, 1):
                for oy in (-1, 0, 1):
                    other = cells[(cx + ox) % cells_in_row][(cy + oy) % cells_in_row]
                    for i in cells[cx][cy]:
                        for j in other:
                            if j <= i:
                                continue
                            dx = nearest(pos[i, 0] - pos[j, 0])
                            dy = nearest(pos[i, 1] - pos[j, 1])
                            r2 = dx * dx + dy * dy
                            if r2 < cutoff * cutoff:
                                inverse = 1.0 / (r2 * r2 * r2)
                                w = 48.0 * inverse * (inverse - 0.5) / r2
                                f[i, 0] += w * dx
                                f[i, 1] += w * dy
                                f[j, 0] -= w * dx
                                f[j, 1] -= w * dy
                                potential += 4.0 * inverse * (inverse - 1.0)
    return f, potential


rng = np.random.default_rng(5)
pos = np.zeros((n, 2))
for i in range(side):
    for j in range(side):
        pos[i * side + j] = (i + 0.5) * box / side, (j + 0.5) * box / side
vel = rng.normal(0.0, 1.0, size=(n, 2))
vel -= vel.mean(axis=0)
dt = 0.004
f, potential = forces(pos)
for step in range(steps):
    vel += 0.5 * dt * f
    pos = (pos + dt * vel) % box
    f, potential = forces(pos)
    vel += 0.5 * dt * f
print(f"{potential / n:.5f} {0.5 * np.sum(vel**2) / n:.5f} {pos.sum():.3f}")
