"""The Mandelbrot set with Python's complex numbers."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 250
limit = 60
counts = np.zeros((n, n), dtype=np.int32)
for i in range(n):
    for j in range(n):
        c = complex(-2.0 + 3.0 * j / n, -1.5 + 3.0 * i / n)
        z = 0j
        k = 0
        while abs(z) <= 2.0 and k < limit:
            z = z * z + c
            k += 1
        counts[i, j] = k
print(counts.sum(), counts.max(), (counts == limit).sum())
print(counts[n // 2, ::10].tolist())
