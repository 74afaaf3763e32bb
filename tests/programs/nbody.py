"""Gravity among a few bodies: outer differences, masks on the diagonal, an energy that stays."""

import numpy as np

rng = np.random.default_rng(17)
n = 8
mass = rng.random(n) + 0.5
pos, vel = rng.standard_normal((n, 3)), rng.standard_normal((n, 3)) * 0.1
vel -= np.mean(mass[:, None] * vel, axis=0) / np.mean(mass)


def accelerations(pos):
    d = pos[None, :, :] - pos[:, None, :]
    r2 = (d**2).sum(axis=-1) + 0.1**2
    inv = r2**-1.5
    np.fill_diagonal(inv, 0.0)
    return (d * (mass[None, :, None] * inv[:, :, None])).sum(axis=1)


def energy(pos, vel):
    d = pos[None] - pos[:, None]
    r = np.sqrt((d**2).sum(-1) + 0.1**2)
    i, j = np.triu_indices(n, 1)
    return 0.5 * (mass * (vel**2).sum(1)).sum() - (mass[i] * mass[j] / r[i, j]).sum()


start, acc = energy(pos, vel), accelerations(pos)
for _ in range(50):
    vel += acc * 0.005
    pos += vel * 0.01
    acc = accelerations(pos)
    vel += acc * 0.005
print(pos.round(8)[:2], f"{start:.8f}", abs(energy(pos, vel) - start) < 0.05)
