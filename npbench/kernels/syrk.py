"""A symmetric update of rank k of a lower triangle, by parts of columns (PolyBench `syrk`)."""

import numpy as np

PRESETS = {
    "test": {"M": 5, "N": 7},
    "S": {"M": 50, "N": 70},
    "M": {"M": 150, "N": 200},
    "L": {"M": 500, "N": 600},
    "paper": {"M": 1000, "N": 1200},
}
MUTATES = ("C",)


def initialize(M, N):
    i, k = np.ogrid[0.0:N, 0.0:M]
    j = np.arange(N, dtype=np.float64)
    return {
        "alpha": np.float64(1.5),
        "beta": np.float64(1.2),
        "C": (i * j + 2) % N / M,
        "A": (i * k + 1) % N / N,
    }


def kernel(alpha, beta, C, A):
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += alpha * A[i, k] * A[: i + 1, k]
