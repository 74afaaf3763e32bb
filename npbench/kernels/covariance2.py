"""Covariance matrix of the columns of a data matrix by `numpy.cov` (NPBench `covariance2`)."""

import numpy as np

PRESETS = {
    "test": {"M": 6, "N": 8},
    "S": {"M": 500, "N": 600},
    "M": {"M": 1400, "N": 1800},
    "L": {"M": 3200, "N": 4000},
    "paper": {"M": 1200, "N": 1400},
}
MUTATES = ()


def initialize(M, N):
    i, j = np.indices((N, M), dtype=np.float64)
    return {"float_n": np.float64(N), "data": (i * j) / M}


def kernel(M, float_n, data):
    return np.cov(np.transpose(data))
