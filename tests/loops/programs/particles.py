"""Particles in a box as an object: forces of all pairs, and walls."""

import sys

import numpy as np


class Box:
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        self.n = n
        self.pos = rng.random((n, 2)) * 10
        self.vel = rng.standard_normal((n, 2))
        self.eps = 0.05
        self.bounces = 0

    def forces(self):
        f = np.zeros((self.n, 2))
        for i in range(self.n):
            for j in range(i + 1, self.n):
                dx = self.pos[j, 0] - self.pos[i, 0]
                dy = self.pos[j, 1] - self.pos[i, 1]
                r2 = dx * dx + dy * dy + self.eps
                w = 1.0 / (r2 * r2)
                f[i, 0] -= w * dx
                f[i, 1] -= w * dy
                f[j, 0] += w * dx
                f[j, 1] += w * dy
        return f

    def step(self, dt):
        self.vel += dt * self.forces()
        self.pos += dt * self.vel
        for i in range(self.n):
            for k in range(2):
                if not 0 <= self.pos[i, k] <= 10:
                    self.pos[i, k] = -self.pos[i, k] if self.pos[i, k] < 0 else 20 - self.pos[i, k]
                    self.vel[i, k] *= -1
                    self.bounces += 1


box = Box(60, 1)
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 300):
    box.step(0.002)
print(box.bounces, box.pos.sum().round(6), (box.vel**2).sum().round(5))
