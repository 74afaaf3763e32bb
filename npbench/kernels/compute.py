"""Clip, scale and add two integer matrices, after the NumPy tutorial of the Cython manual."""

import numpy as np

PRESETS = {
    "test": {"M": 12, "N": 9},
    "S": {"M": 2000, "N": 2000},
    "M": {"M": 5000, "N": 5000},
    "L": {"M": 16000, "N": 16000},
    "paper": {"M": 12500, "N": 12500},
}
MUTATES = ()


def initialize(M, N):
    rng = np.random.default_rng(42)
    return {
        "array_1": rng.uniform(0, 1000, size=(M, N)).astype(np.int64),
        "array_2": rng.uniform(0, 1000, size=(M, N)).astype(np.int64),
        "a": np.int64(4),
        "b": np.int64(3),
        "c": np.int64(9),
    }


def kernel(array_1, array_2, a, b, c):
    return np.clip(array_1, 2, 10) * a + array_2 * b + c
