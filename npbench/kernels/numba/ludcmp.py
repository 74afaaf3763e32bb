"""`ludcmp` for Numba: loops along rows."""

import numpy as np
from numba import njit


@njit
def decompose(A):
    """Row by row: what each earlier row contributes is subtracted from the rest of a row."""
    n = A.shape[0]
    for i in range(n):
        for k in range(i):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]


@njit
def kernel(A, b):
    decompose(A)
    n = A.shape[0]
    x = np.zeros_like(b)
    y = np.zeros_like(b)
    for i in range(n):
        total = 0.0
        for j in range(i):
            total += A[i, j] * y[j]
        y[i] = b[i] - total
    for i in range(n - 1, -1, -1):
        total = 0.0
        for j in range(i + 1, n):
            total += A[i, j] * x[j]
        x[i] = (y[i] - total) / A[i, i]
    return x, y
