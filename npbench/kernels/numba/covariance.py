"""`covariance` for Numba: the mean as a loop over rows, the matrix by BLAS."""

import numpy as np
from numba import njit


@njit
def kernel(M, float_n, data):
    mean = np.zeros(M)
    for i in range(data.shape[0]):
        mean += data[i]
    mean /= data.shape[0]
    for i in range(data.shape[0]):
        data[i] -= mean
    return data.T @ data / (float_n - 1.0)
