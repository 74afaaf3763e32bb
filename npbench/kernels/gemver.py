"""Two rank-one updates, then two matrix-vector products (PolyBench `gemver`)."""

import numpy as np

PRESETS = {
    "test": {"N": 8},
    "S": {"N": 1000},
    "M": {"N": 3000},
    "L": {"N": 10000},
    "paper": {"N": 8000},
}
MUTATES = ("A", "w", "x")


def initialize(N):
    i, j = np.ogrid[0:N, 0:N]
    line = np.arange(N, dtype=np.float64)
    ramp = (line + 1) / N
    return {
        "alpha": np.float64(1.5),
        "beta": np.float64(1.2),
        "A": (i * j % N) / N,
        "u1": line,
        "v1": ramp / 4.0,
        "u2": ramp / 2.0,
        "v2": ramp / 6.0,
        "w": np.zeros(N),
        "x": np.zeros(N),
        "y": ramp / 8.0,
        "z": ramp / 9.0,
    }


def kernel(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    A += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * y @ A + z
    w += alpha * A @ x
