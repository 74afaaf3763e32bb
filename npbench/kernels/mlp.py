"""Inference by a perceptron of three dense layers in float32, with a softmax at the end."""

import numpy as np

PRESETS = {
    "test": {"C_in": 3, "N": 4, "S0": 20, "S1": 12, "S2": 9},
    "S": {"C_in": 3, "N": 8, "S0": 30_000, "S1": 2000, "S2": 2000},
    "M": {"C_in": 3, "N": 8, "S0": 30_000, "S1": 10_000, "S2": 10_000},
    "L": {"C_in": 3, "N": 8, "S0": 30_000, "S1": 30_000, "S2": 30_000},
    "paper": {"C_in": 3, "N": 8, "S0": 30_000, "S1": 10_000, "S2": 1000},
}
MUTATES = ()


def initialize(C_in, N, S0, S1, S2):
    rng = np.random.default_rng(42)
    sizes = (C_in, S0, S1, S2)
    arrays = {}
    for layer in (1, 2, 3):
        shape = sizes[layer - 1], sizes[layer]
        arrays[f"w{layer}"] = rng.random(shape, dtype=np.float32)
        arrays[f"b{layer}"] = rng.random(shape[1:], dtype=np.float32)
    # NPBench draws these without a seed. After the weights, so that those are NPBench's.
    return {"input": rng.random((N, C_in)).astype(np.float32)} | arrays


def relu(x):
    return np.maximum(x, 0)


def softmax(x):
    largest = np.max(x, axis=-1, keepdims=True)
    weights = np.exp(x - largest)
    return weights / np.sum(weights, axis=-1, keepdims=True)


def kernel(input, w1, b1, w2, b2, w3, b3):
    x = relu(input @ w1 + b1)
    x = relu(x @ w2 + b2)
    return softmax(x @ w3 + b3)
