"""The sum of two scaled matrix-vector products (PolyBench `gesummv`)."""

import numpy as np

PRESETS = {
    "test": {"N": 9},
    "S": {"N": 2000},
    "M": {"N": 4000},
    "L": {"N": 14_000},
    "paper": {"N": 11_200},
}
MUTATES = ()


def initialize(N):
    i, j = np.ogrid[0.0:N, 0.0:N]
    return {
        "alpha": np.float64(1.5),
        "beta": np.float64(1.2),
        "A": (i * j + 1) % N / N,
        "B": (i * j + 2) % N / N,
        "x": np.arange(N, dtype=np.float64) % N / N,
    }


def kernel(alpha, beta, A, B, x):
    return alpha * A @ x + beta * B @ x
