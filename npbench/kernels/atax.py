"""The product of a matrix's transpose, the matrix and a vector (PolyBench `atax`)."""

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
    i, j = np.ogrid[0.0:M, 0.0:N]
    return {"x": 1 + np.arange(N, dtype=np.float64) / N, "A": (i + j) % N / (5 * M)}


def kernel(A, x):
    return (A @ x) @ A
