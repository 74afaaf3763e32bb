"""A Fourier transform of complex numbers, in place, by butterflies."""

import cmath
import sys

import numpy as np

bits = int(sys.argv[1]) if len(sys.argv) > 1 else 16
n = 1 << bits
x = np.zeros(n, dtype=complex)
for i in range(n):
    x[i] = complex((i * 7919) % 101 / 101.0, (i * 104729) % 97 / 97.0)
j = 0
for i in range(1, n):
    bit = n >> 1
    while j & bit:
        j ^= bit
        bit >>= 1
    j ^= bit
    if i < j:
        x[i], x[j] = x[j], x[i]
length = 2
while length <= n:
    root = cmath.exp(-2j * cmath.pi / length)
    for start in range(0, n, length):
        w = 1 + 0j
        for k in range(length // 2):
            u = x[start + k]
            v = x[start + k + length // 2] * w
            x[start + k] = u + v
            x[start + k + length // 2] = u - v
            w *= root
    length *= 2
print(abs(x[0]), x[1], x[n // 3])
