"""LU decomposition in place without pivoting, element by element (PolyBench `lu`)."""

import numpy as np

PRESETS = {
    "test": {"N": 8},
    "S": {"N": 60},
    "M": {"N": 220},
    "L": {"N": 700},
    "paper": {"N": 2000},
}
MUTATES = ("A",)


def initialize(N):
    j = np.arange(N, dtype=np.float64)
    factor = np.tril(np.broadcast_to(-j % N / N + 1, (N, N)), -1) + np.eye(N)
    return {"A": factor @ factor.T}


def kernel(A):
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]
