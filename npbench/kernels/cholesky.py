"""Cholesky decomposition in place, an inner product for each element (PolyBench `cholesky`)."""

import numpy as np

PRESETS = {
    "test": {"N": 8},
    "S": {"N": 100},
    "M": {"N": 300},
    "L": {"N": 900},
    "paper": {"N": 2000},
}
MUTATES = ("A",)


def initialize(N):
    j = np.arange(N, dtype=np.float64)
    factor = np.tril(np.broadcast_to(-j % N / N + 1, (N, N)), -1) + np.eye(N)
    return {"A": factor @ factor.T}


def kernel(A):
    A[0, 0] = np.sqrt(A[0, 0])
    for i in range(1, A.shape[0]):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])
