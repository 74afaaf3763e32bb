"""A wave packet in a harmonic well, by Crank and Nicolson's steps: a tridiagonal system of complex
numbers in each.
"""

import sys

import numpy as np

n = 64
x = np.linspace(-8, 8, n, endpoint=False)
psi = np.exp(-((x + 3) ** 2) + 2j * x)
dt, dx = 0.005, x[1] - x[0]
main = 1 + 0.5j * dt / dx**2 + 0.25j * dt * x**2
off = -0.25j * dt / dx**2
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 2000):
    rhs = (2 - main) * psi
    rhs[1:] -= off * psi[:-1]
    rhs[:-1] -= off * psi[1:]
    c, d = np.zeros(n, dtype=complex), np.zeros(n, dtype=complex)
    c[0], d[0] = off / main[0], rhs[0] / main[0]
    for i in range(1, n):
        m = main[i] - off * c[i - 1]
        c[i] = off / m
        d[i] = (rhs[i] - off * d[i - 1]) / m
    psi[-1] = d[-1]
    for i in range(n - 2, -1, -1):
        psi[i] = d[i] - c[i] * psi[i + 1]
print((np.abs(psi) ** 2).sum().round(6))
