"""`correlation` for Numba: statistics as loops over rows, the matrix by BLAS."""

import numpy as np
from numba import njit


@njit
def kernel(M, float_n, data):
    mean = np.zeros(M)
    stddev = np.zeros(M)
    for i in range(data.shape[0]):
        mean += data[i]
    mean /= data.shape[0]
    for i in range(data.shape[0]):
        stddev += (data[i] - mean) ** 2
    stddev = np.sqrt(stddev / data.shape[0])
    for j in range(M):
        if stddev[j] <= 0.1:
            stddev[j] = 1.0
    for i in range(data.shape[0]):
        data[i] = (data[i] - mean) / (np.sqrt(float_n) * stddev)
    corr = data.T @ data
    for i in range(M):
        corr[i, i] = 1.0
    return corr
