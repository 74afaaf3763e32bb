"""A symmetric update of rank 2k of a lower triangle, by parts of columns (PolyBench `syr2k`)."""

import numpy as np

PRESETS = {
    "test": {"M": 5, "N": 7},
    "S": {"M": 35, "N": 50},
    "M": {"M": 110, "N": 140},
    "L": {"M": 350, "N": 400},
    "paper": {"M": 1000, "N": 1200},
}
MUTATES = ("C",)


def initialize(M, N):
    i, k = np.ogrid[0.0:N, 0.0:M]
    j = np.arange(N, dtype=np.float64)
    return {
        "alpha": np.float64(1.5),
        "beta": np.float64(1.2),
        "C": (i * j + 3) % N / M,
        "A": (i * k + 1) % N / N,
        "B": (i * k + 2) % M / M,
    }


def kernel(alpha, beta, C, A, B):
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += (
                A[: i + 1, k] * alpha * B[i, k] + B[: i + 1, k] * alpha * A[i, k]
            )
