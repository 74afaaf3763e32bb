"""The Lorenz system by Runge–Kutta's fourth-order steps, with tuples."""

import sys

import numpy as np

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 100000
sigma, rho, beta = 10.0, 28.0, 8.0 / 3.0


def lorenz(x, y, z):
    return sigma * (y - x), x * (rho - z) - y, x * y - beta * z


x, y, z = 1.0, 1.0, 1.0
h = 0.005
path = np.zeros((steps, 3))
for k in range(steps):
    a1, b1, c1 = lorenz(x, y, z)
    a2, b2, c2 = lorenz(x + h / 2 * a1, y + h / 2 * b1, z + h / 2 * c1)
    a3, b3, c3 = lorenz(x + h / 2 * a2, y + h / 2 * b2, z + h / 2 * c2)
    a4, b4, c4 = lorenz(x + h * a3, y + h * b3, z + h * c3)
    x += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    y += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4)
    z += h / 6 * (c1 + 2 * c2 + 2 * c3 + c4)
    path[k] = x, y, z
print(x, y, z)
print(path.mean(axis=0), path[:, 2].max())
