"""QR decomposition by the modified Gram-Schmidt process (PolyBench `gramschmidt`)."""

import numpy as np

PRESETS = {
    "test": {"M": 8, "N": 6},
    "S": {"M": 70, "N": 60},
    "M": {"M": 220, "N": 180},
    "L": {"M": 600, "N": 500},
    "paper": {"M": 240, "N": 200},
}
MUTATES = ("A",)


def initialize(M, N):
    rng = np.random.default_rng(42)
    A = rng.random((M, N))
    while np.linalg.matrix_rank(A) < N:
        A = rng.random((M, N))
    return {"A": A}


def kernel(A):
    n = A.shape[1]
    Q = np.zeros_like(A)
    R = np.zeros((n, n), dtype=A.dtype)
    for k in range(n):
        R[k, k] = np.sqrt(np.dot(A[:, k], A[:, k]))
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, n):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return Q, R
