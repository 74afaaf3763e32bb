"""A matrix by a vector and its transpose by another, added to vectors (PolyBench `mvt`)."""

import numpy as np

PRESETS = {
    "test": {"N": 9},
    "S": {"N": 5500},
    "M": {"N": 11_000},
    "L": {"N": 22_000},
    "paper": {"N": 16_000},
}
MUTATES = ("x1", "x2")


def initialize(N):
    i, j = np.ogrid[0.0:N, 0.0:N]
    row = np.arange(N, dtype=np.float64)
    return {
        "x1": row % N / N,
        "x2": (row + 1) % N / N,
        "y_1": (row + 3) % N / N,
        "y_2": (row + 4) % N / N,
        "A": i * j % N / N,
    }


def kernel(x1, x2, y_1, y_2, A):
    x1 += A @ y_1
    x2 += y_2 @ A
