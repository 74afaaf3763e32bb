"""The Mandelbrot set, with indices of the points that have not escaped."""

import sys

import numpy as np

WIDTH = int(sys.argv[1]) if len(sys.argv) > 1 else 150

x = np.linspace(-2.2, 0.8, WIDTH)
y = np.linspace(-1.2, 1.2, WIDTH * 4 // 5)
c = x[None, :] + 1j * y[:, None]
z = np.zeros_like(c)
count = np.zeros(c.shape, dtype=int)
alive = np.ones(c.shape, dtype=bool)
for _ in range(40):
    z[alive] = z[alive] ** 2 + c[alive]
    alive &= np.abs(z) <= 2
    count += alive
print(int(count.sum()), int(alive.sum()))
