"""The product of a transposed unit triangular matrix and another, in place (PolyBench `trmm`)."""

import numpy as np

PRESETS = {
    "test": {"M": 6, "N": 7},
    "S": {"M": 65, "N": 80},
    "M": {"M": 200, "N": 250},
    "L": {"M": 600, "N": 700},
    "paper": {"M": 1000, "N": 1200},
}
MUTATES = ("B",)


def initialize(M, N):
    i, j = np.ogrid[0.0:M, 0.0:N]
    k = np.arange(M, dtype=np.float64)
    A = i * k % M / M
    np.fill_diagonal(A, 1.0)
    return {"alpha": np.float64(1.5), "A": A, "B": (N + i - j) % N / N}


def kernel(alpha, A, B):
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(A[i + 1 :, i], B[i + 1 :, j])
    B *= alpha
