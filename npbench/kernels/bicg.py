"""The two products of the biconjugate gradient method, one transposed (PolyBench `bicg`)."""

import numpy as np

PRESETS = {
    "test": {"M": 7, "N": 9},
    "S": {"M": 4000, "N": 5000},
    "M": {"M": 10000, "N": 12500},
    "L": {"M": 20000, "N": 25000},
    "paper": {"M": 18000, "N": 22000},
}
MUTATES = ()


def initialize(M, N):
    i, j = np.ogrid[0.0:N, 0.0:M]
    return {
        "A": i * (j + 1) % N / N,
        "p": np.arange(M, dtype=np.float64) % M / M,
        "r": np.arange(N, dtype=np.float64) % N / N,
    }


def kernel(A, p, r):
    return r @ A, A @ p
