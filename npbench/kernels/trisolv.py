"""A lower triangular system by forward substitution, row by row (PolyBench `trisolv`)."""

import numpy as np

PRESETS = {
    "test": {"N": 9},
    "S": {"N": 2000},
    "M": {"N": 5000},
    "L": {"N": 14_000},
    "paper": {"N": 16_000},
}
# NPBench names b, which is only read.
MUTATES = ("x",)


def initialize(N):
    i, j = np.ogrid[0.0:N, 0.0:N]
    return {
        "L": (i + N - j + 1) * 2 / N,
        "x": np.full((N,), -999, dtype=np.float64),
        "b": np.arange(N, dtype=np.float64),
    }


def kernel(L, x, b):
    for i in range(x.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
