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
# The system is ill-conditioned. Another order of the sums changes the norm by 3e-10 at S, 7e-8 at M,
# 8e-7 at L and 5e-5 at paper.
NORM_TOLERANCES = {"S": 1e-8, "M": 5e-6, "L": 5e-5, "paper": 3e-3}


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
