"""`covariance2` for Numba: the mean as a loop over rows, the matrix by BLAS."""

import numpy as np
from numba import njit


@njit
def kernel(M, float_n, data):
    mean = np.zeros(M)
    for i in range(data.shape[0]):
        mean += data[i]
    mean /= data.shape[0]
    centred = np.empty_like(data)
    for i in range(data.shape[0]):
        centred[i] = data[i] - mean
    return centred.T @ centred / (data.shape[0] - 1.0)
