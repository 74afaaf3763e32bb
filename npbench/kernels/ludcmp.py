"""A linear system by LU decomposition and two substitutions (PolyBench `ludcmp`)."""

import numpy as np

PRESETS = {
    "test": {"N": 8},
    "S": {"N": 60},
    "M": {"N": 220},
    "L": {"N": 650},
    "paper": {"N": 2000},
}
MUTATES = ("A",)


def initialize(N):
    j = np.arange(N, dtype=np.float64)
    factor = np.tril(np.broadcast_to(-j % N / N + 1, (N, N)), -1) + np.eye(N)
    return {"A": factor @ factor.T, "b": (j + 1) / N / 2.0 + 4.0}


def kernel(A, b):
    x = np.zeros_like(b)
    y = np.zeros_like(b)
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]
    for i in range(n):
        y[i] = b[i] - A[i, :i] @ y[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return x, y
