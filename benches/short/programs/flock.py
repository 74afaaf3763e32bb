"""Boids: birds which follow, approach and avoid each other, by all pairs."""

import sys

import numpy as np

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 40

rng = np.random.default_rng(2)
n = 120
place = rng.uniform(0, 100, (n, 2))
speed = rng.uniform(-1, 1, (n, 2))
for _ in range(STEPS):
    offset = place[None, :, :] - place[:, None, :]
    distance = np.hypot(offset[..., 0], offset[..., 1])
    near = (distance < 15) & (distance > 0)
    close = (distance < 4) & (distance > 0)
    count = np.maximum(near.sum(axis=1), 1)[:, None]
    centre = (near[:, :, None] * offset).sum(axis=1) / count
    heading = (near[:, :, None] * speed[None, :, :]).sum(axis=1) / count
    away = -(close[:, :, None] * offset).sum(axis=1)
    speed += 0.01 * centre + 0.05 * (heading - speed) + 0.05 * away
    fast = np.linalg.norm(speed, axis=1, keepdims=True)
    speed = np.where(fast > 2, speed / fast * 2, speed)
    place = (place + speed) % 100
print(f"{place.mean():.5f} {np.abs(speed).mean():.5f}")
