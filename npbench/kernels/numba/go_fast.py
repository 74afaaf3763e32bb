"""`go_fast` for Numba, whose documentation has this program: two loops."""

import numpy as np
from numba import njit, prange


@njit(parallel=True)
def kernel(a):
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    result = np.empty_like(a)
    for i in prange(a.shape[0]):
        for j in range(a.shape[1]):
            result[i, j] = a[i, j] + trace
    return result
