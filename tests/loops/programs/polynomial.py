"""Polynomials by Horner's rule, their derivatives, and Clenshaw's sums."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 80000
coefficients = [1.0, -0.5, 0.25, -0.125, 0.0625, 3.0, -2.0]


def horner(coefficients, x):
    value = slope = 0.0
    for c in reversed(coefficients):
        slope = slope * x + value
        value = value * x + c
    return value, slope


def clenshaw(c, x):
    b1 = b2 = 0.0
    for k in range(len(c) - 1, 0, -1):
        b1, b2 = c[k] + 2 * x * b1 - b2, b1
    return c[0] + x * b1 - b2


total = 0.0
values = np.zeros(n)
for i in range(n):
    x = -1.0 + 2.0 * i / n
    value, slope = horner(coefficients, x)
    values[i] = value + clenshaw(coefficients, x)
    total += slope
print(total, values.mean().round(12), values.max())
