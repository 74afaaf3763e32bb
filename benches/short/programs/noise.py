"""Fractal noise: octaves of Perlin's gradients on a grid, and a map of its heights."""

import sys

import numpy as np

SIDE = int(sys.argv[1]) if len(sys.argv) > 1 else 128

rng = np.random.default_rng(10)


def octave(cells):
    angles = 2 * np.pi * rng.random((cells + 1, cells + 1))
    gradients = np.dstack((np.cos(angles), np.sin(angles)))
    at = np.linspace(0, cells, SIDE, endpoint=False)
    x, y = np.meshgrid(at, at)
    i, j = y.astype(int), x.astype(int)
    u, v = y - i, x - j

    def corner(di, dj):
        g = gradients[i + di, j + dj]
        return g[..., 0] * (u - di) + g[..., 1] * (v - dj)

    fu, fv = u * u * u * (u * (u * 6 - 15) + 10), v * v * v * (v * (v * 6 - 15) + 10)
    left = corner(0, 0) * (1 - fu) + corner(1, 0) * fu
    right = corner(0, 1) * (1 - fu) + corner(1, 1) * fu
    return np.sqrt(2) * (left * (1 - fv) + right * fv)


height = np.zeros((SIDE, SIDE))
for power in range(5):
    height += octave(2 ** (power + 1)) * 0.5**power
height = (height - height.min()) / (height.max() - height.min())
land = np.select([height < 0.4, height < 0.5, height < 0.8], [0, 1, 2], 3)
slope = np.sqrt(sum(g**2 for g in np.gradient(height)))
print(np.bincount(land.ravel()), f"{height.mean():.6f} {slope.max():.6f}")
