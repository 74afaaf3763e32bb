"""`gramschmidt` for Numba: loops along rows, all later columns at once."""

import numpy as np
from numba import njit


@njit
def kernel(A):
    m, n = A.shape
    Q = np.zeros_like(A)
    R = np.zeros((n, n))
    for k in range(n):
        total = 0.0
        for i in range(m):
            total += A[i, k] * A[i, k]
        R[k, k] = np.sqrt(total)
        for i in range(m):
            Q[i, k] = A[i, k] / R[k, k]
        for i in range(m):
            for j in range(k + 1, n):
                R[k, j] += Q[i, k] * A[i, j]
        for i in range(m):
            for j in range(k + 1, n):
                A[i, j] -= Q[i, k] * R[k, j]
    return Q, R
