"""`cholesky2` for Numba: LAPACK, then the lower triangle is copied."""

import numpy as np
from numba import njit


@njit
def kernel(A):
    factor = np.linalg.cholesky(A)
    for i in range(A.shape[0]):
        for j in range(i + 1):
            A[i, j] = factor[i, j]
