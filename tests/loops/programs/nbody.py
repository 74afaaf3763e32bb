"""Planets under gravity: pairs of bodies, leapfrog steps, the energy at the end."""

import sys

import numpy as np

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
rng = np.random.default_rng(3)
n = 6
pos = rng.normal(size=(n, 3))
vel = rng.normal(size=(n, 3)) * 0.1
mass = rng.random(n) + 0.5


def energy(pos, vel, mass):
    total = 0.0
    for i in range(n):
        total += 0.5 * mass[i] * (vel[i, 0] ** 2 + vel[i, 1] ** 2 + vel[i, 2] ** 2)
        for j in range(i + 1, n):
            dx = pos[i, 0] - pos[j, 0]
            dy = pos[i, 1] - pos[j, 1]
            dz = pos[i, 2] - pos[j, 2]
            total -= mass[i] * mass[j] / np.sqrt(dx * dx + dy * dy + dz * dz + 0.01)
    return total


def step(pos, vel, mass, dt):
    for i in range(n):
        for j in range(n):
            if i == j:
                continue
            dx = pos[j, 0] - pos[i, 0]
            dy = pos[j, 1] - pos[i, 1]
            dz = pos[j, 2] - pos[i, 2]
            r2 = dx * dx + dy * dy + dz * dz + 0.01
            f = mass[j] / (r2 * np.sqrt(r2))
            vel[i, 0] += f * dx * dt
            vel[i, 1] += f * dy * dt
            vel[i, 2] += f * dz * dt
    for i in range(n):
        for k in range(3):
            pos[i, k] += vel[i, k] * dt


print(energy(pos, vel, mass))
for _ in range(steps):
    step(pos, vel, mass, 0.001)
print(energy(pos, vel, mass))
print(pos[0, 0], pos[n - 1, 2])
