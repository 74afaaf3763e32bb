"""Simpson's and Romberg's integration with the integrand as an argument."""

import math
import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 800000


def simpson(f, a, b, n):
    h = (b - a) / n
    total = f(a) + f(b)
    for i in range(1, n):
        total += (4 if i % 2 else 2) * f(a + i * h)
    return total * h / 3


def romberg(f, a, b, levels):
    table = np.zeros((levels, levels))
    h = b - a
    table[0, 0] = 0.5 * h * (f(a) + f(b))
    for k in range(1, levels):
        h *= 0.5
        inner = 0.0
        for i in range(1, 2**k, 2):
            inner += f(a + i * h)
        table[k, 0] = 0.5 * table[k - 1, 0] + h * inner
        for m in range(1, k + 1):
            table[k, m] = table[k, m - 1] + (table[k, m - 1] - table[k - 1, m - 1]) / (4**m - 1)
    return table[levels - 1, levels - 1]


def bell(x):
    return math.exp(-x * x) * math.cos(3 * x)


print(simpson(bell, -3.0, 3.0, n))
print(simpson(lambda x: x**3 - 2 * x + 1, 0.0, 2.0, n // 2))
print(romberg(bell, -3.0, 3.0, 16 if n > 10000 else 10))
