"""Coupled oscillators by RK4 on small arrays, with a function of the right-hand side."""

import sys

import numpy as np

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 14000


def rhs(t, y):
    return np.array([y[1], -2.0 * y[0] + y[2], y[3], -2.0 * y[2] + y[0] - 0.05 * y[3]])


def rk4(f, t, y, h):
    k1 = f(t, y)
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    k4 = f(t + h, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


y = np.array([1.0, 0.0, 0.0, 0.5])
t, h = 0.0, 0.01
largest = 0.0
for k in range(steps):
    y = rk4(rhs, t, y, h)
    t += h
    if abs(y[0]) > largest:
        largest = abs(y[0])
print(t, y)
print(largest)
