"""`compute` for Numba: one loop."""

import numpy as np
from numba import njit, prange


@njit(parallel=True)
def kernel(array_1, array_2, a, b, c):
    result = np.empty_like(array_1)
    for i in prange(array_1.shape[0]):
        for j in range(array_1.shape[1]):
            result[i, j] = min(max(array_1[i, j], 2), 10) * a + array_2[i, j] * b + c
    return result
