"""`cholesky` for Numba: inner products as loops."""

import numpy as np
from numba import njit


@njit(fastmath={"reassoc"})
def kernel(A):
    for i in range(A.shape[0]):
        for j in range(i):
            total = 0.0
            for k in range(j):
                total += A[i, k] * A[j, k]
            A[i, j] = (A[i, j] - total) / A[j, j]
        total = 0.0
        for k in range(i):
            total += A[i, k] * A[i, k]
        A[i, i] = np.sqrt(A[i, i] - total)
