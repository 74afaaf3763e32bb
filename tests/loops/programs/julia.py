"""A Julia set over an array of complex numbers, by real and imaginary parts."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 190
axis = np.linspace(-1.5, 1.5, n)
plane = axis[None, :] + 1j * axis[:, None]
c = -0.7 + 0.27015j
result = np.zeros((n, n))


def escape(z, c):
    for k in range(80):
        if z.real * z.real + z.imag * z.imag > 4.0:
            return k
        z = z**2 + c
    return 80


for i in range(n):
    for j in range(n):
        result[i, j] = escape(plane[i, j], c)
print(result.mean(), result.max(), result[n // 2, :5].tolist())
