"""Dominant eigenvalue by power iteration with a Rayleigh quotient."""

import numpy as np

n = 30
i = np.arange(n)
A = 1.0 / (1 + np.abs(i[:, None] - i[None, :]))
v = np.ones(n)
for step in range(200):
    w = A @ v
    v = w / np.linalg.norm(w)
    value = v @ A @ v
    if np.linalg.norm(A @ v - value * v) < 1e-12:
        break
print(f"{value:.10f}", step < 199)
largest = np.linalg.eigvalsh(A)[-1]
print(np.isclose(value, largest))
