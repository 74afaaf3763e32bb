"""The product of a symmetric matrix, given by a triangle, and another (PolyBench `symm`)."""

import numpy as np

PRESETS = {
    "test": {"M": 6, "N": 7},
    "S": {"M": 40, "N": 50},
    "M": {"M": 120, "N": 150},
    "L": {"M": 350, "N": 550},
    "paper": {"M": 1000, "N": 1200},
}
MUTATES = ("C",)


def initialize(M, N):
    i, j = np.ogrid[0.0:M, 0.0:N]
    k = np.arange(M, dtype=np.float64)
    # Nothing may read the upper triangle.
    A = np.where(k <= i, (i + k) % 100 / M, -999.0)
    return {
        "alpha": np.float64(1.5),
        "beta": np.float64(1.2),
        "C": (i + j) % 100 / M,
        "A": A,
        "B": (N + i - j) % 100 / M,
    }


def kernel(alpha, beta, C, A, B):
    above = np.empty((C.shape[1],), dtype=C.dtype)
    C *= beta
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[:i, j] += alpha * B[i, j] * A[i, :i]
            above[j] = B[:i, j] @ A[i, :i]
        C[i, :] += alpha * B[i, :] * A[i, i] + alpha * above
