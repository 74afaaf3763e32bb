"""Correlation matrix of the columns of a data matrix (PolyBench `correlation`)."""

import numpy as np

PRESETS = {
    "test": {"M": 6, "N": 8},
    "S": {"M": 500, "N": 600},
    "M": {"M": 1400, "N": 1800},
    "L": {"M": 3200, "N": 4000},
    "paper": {"M": 1200, "N": 1400},
}
MUTATES = ("data",)


def initialize(M, N):
    i, j = np.indices((N, M), dtype=np.float64)
    return {"float_n": np.float64(N), "data": (i * j) / M + i}


def kernel(M, float_n, data):
    mean = np.mean(data, axis=0)
    stddev = np.std(data, axis=0)
    # A nearly constant column would be divided by nearly zero.
    stddev[stddev <= 0.1] = 1.0
    data -= mean
    data /= np.sqrt(float_n) * stddev
    corr = np.eye(M, dtype=data.dtype)
    for i in range(M - 1):
        corr[i + 1 : M, i] = corr[i, i + 1 : M] = data[:, i] @ data[:, i + 1 : M]
    return corr
