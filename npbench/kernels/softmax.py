"""Softmax along the last axis of float32 attention scores, shifted by the maximum."""

import numpy as np

PRESETS = {
    "test": {"N": 2, "H": 3, "SM": 5},
    "S": {"N": 16, "H": 16, "SM": 128},
    "M": {"N": 32, "H": 8, "SM": 256},
    "L": {"N": 64, "H": 16, "SM": 448},
    "paper": {"N": 64, "H": 16, "SM": 512},
}
MUTATES = ()


def initialize(N, H, SM):
    return {"x": np.random.default_rng(42).random((N, H, SM, SM), dtype=np.float32)}


def kernel(x):
    largest = np.max(x, axis=-1, keepdims=True)
    weights = np.exp(x - largest)
    total = np.sum(weights, axis=-1, keepdims=True)
    return weights / total
