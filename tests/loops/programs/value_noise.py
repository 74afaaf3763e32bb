"""Gradient noise on a lattice with a table of permutations, in octaves."""

import math
import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 160
rng = np.random.default_rng(24)
table = [int(v) for v in rng.permutation(256)] * 2


def fade(t):
    return t * t * t * (t * (t * 6 - 15) + 10)


def lerp(a, b, t):
    return a + t * (b - a)


def gradient(h, x, y):
    h = h & 3
    if h == 0:
        return x + y
    if h == 1:
        return -x + y
    if h == 2:
        return x - y
    return -x - y


def noise(x, y):
    xi, yi = math.floor(x) & 255, math.floor(y) & 255
    xf, yf = x - math.floor(x), y - math.floor(y)
    u, v = fade(xf), fade(yf)
    aa, ab = table[table[xi] + yi], table[table[xi] + yi + 1]
    ba, bb = table[table[xi + 1] + yi], table[table[xi + 1] + yi + 1]
    low = lerp(gradient(aa, xf, yf), gradient(ba, xf - 1, yf), u)
    high = lerp(gradient(ab, xf, yf - 1), gradient(bb, xf - 1, yf - 1), u)
    return lerp(low, high, v)


field = np.zeros((n, n))
for i in range(n):
    for j in range(n):
        value, scale, size = 0.0, 1.0, 0.05
        for octave in range(4):
            value += scale * noise(i * size, j * size)
            scale *= 0.5
            size *= 2.0
        field[i, j] = value
print(field.mean().round(12), field.min(), field.max())
