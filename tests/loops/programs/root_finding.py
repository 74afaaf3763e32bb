"""Roots by bisection and Newton's method, with functions as arguments."""

import math
import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 9000


def f(x, a):
    return x**3 - a * x - 1.0 + math.sin(x)


def df(x, a):
    return 3 * x**2 - a + math.cos(x)


def bisect(f, a, low, high):
    for _ in range(50):
        middle = 0.5 * (low + high)
        if f(low, a) * f(middle, a) <= 0:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


def newton(f, df, a, x):
    for _ in range(20):
        step = f(x, a) / df(x, a)
        x -= step
        if abs(step) < 1e-14:
            break
    return x


roots = np.zeros((n, 2))
for i in range(n):
    a = 1.0 + i / n
    roots[i, 0] = bisect(f, a, 0.5, 3.0)
    roots[i, 1] = newton(f, df, a, 2.0)
print(np.abs(roots[:, 0] - roots[:, 1]).max() < 1e-9, roots[-1].round(9), roots.mean().round(9))
