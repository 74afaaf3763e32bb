"""`spmv` for Numba: rows in parallel."""

import numpy as np
from numba import njit, prange


@njit(parallel=True)
def kernel(A_row, A_col, A_val, x):
    y = np.empty(A_row.size - 1, A_val.dtype)
    for i in prange(y.size):
        total = 0.0
        for k in range(np.int64(A_row[i]), np.int64(A_row[i + 1])):
            total += A_val[k] * x[A_col[k]]
        y[i] = total
    return y
