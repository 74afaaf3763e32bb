"""Bodies that attract each other, by all pairs, with energies."""

import sys

import numpy as np

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 100

np.random.seed(17)
n = 50
mass = 20.0 * np.ones((n, 1)) / n
pos, vel = np.random.randn(n, 3), np.random.randn(n, 3)
vel -= np.mean(mass * vel, 0) / np.mean(mass)


def acceleration(pos):
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inverse = (dx**2 + dy**2 + dz**2 + 0.01) ** -1.5
    return np.hstack(((dx * inverse) @ mass, (dy * inverse) @ mass, (dz * inverse) @ mass))


def energy(pos, vel):
    kinetic = 0.5 * np.sum(np.sum(mass * vel**2))
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    r = np.sqrt(dx**2 + dy**2 + dz**2)
    r[r > 0] = 1.0 / r[r > 0]
    potential = np.sum(np.sum(np.triu(-(mass * mass.T) * r, 1)))
    return kinetic + potential


acc = acceleration(pos)
track = np.zeros(STEPS)
for step in range(STEPS):
    vel += acc * 0.005
    pos += vel * 0.01
    acc = acceleration(pos)
    vel += acc * 0.005
    track[step] = energy(pos, vel)
print(f"{track[0]:.6f} {track[-1]:.4f}")
