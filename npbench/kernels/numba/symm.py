"""`symm` for Numba: loops along rows."""

import numpy as np
from numba import njit


@njit
def kernel(alpha, beta, C, A, B):
    rows, columns = C.shape
    above = np.empty(columns)
    C *= beta
    for i in range(rows):
        above[:] = 0.0
        for k in range(i):
            factor = alpha * A[i, k]
            for j in range(columns):
                C[k, j] += factor * B[i, j]
                above[j] += B[k, j] * A[i, k]
        for j in range(columns):
            C[i, j] += alpha * B[i, j] * A[i, i] + alpha * above[j]
