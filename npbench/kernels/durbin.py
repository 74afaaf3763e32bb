"""The Levinson-Durbin recursion for a symmetric Toeplitz system (PolyBench `durbin`)."""

import numpy as np

PRESETS = {
    "test": {"N": 9},
    "S": {"N": 1000},
    "M": {"N": 6000},
    "L": {"N": 20_000},
    "paper": {"N": 16_000},
}
MUTATES = ()


def initialize(N):
    return {"r": N + 1 - np.arange(N, dtype=np.float64)}


def kernel(r):
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y
