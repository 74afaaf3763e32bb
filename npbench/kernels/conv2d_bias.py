"""Two-dimensional convolution with a bias: float32, stride one, no padding, channels last.

Every output pixel multiplies a patch with all filters at once and sums over three axes.
"""

import numpy as np

PRESETS = {
    "test": {"N": 2, "C_in": 3, "C_out": 4, "K": 2, "H": 6, "W": 5},
    "S": {"N": 8, "C_in": 3, "C_out": 16, "K": 2, "H": 32, "W": 32},
    "M": {"N": 8, "C_in": 3, "C_out": 8, "K": 5, "H": 64, "W": 64},
    "L": {"N": 8, "C_in": 3, "C_out": 8, "K": 10, "H": 128, "W": 128},
    "paper": {"N": 8, "C_in": 3, "C_out": 16, "K": 20, "H": 256, "W": 256},
}
MUTATES = ()


def initialize(C_in, C_out, H, K, N, W):
    rng = np.random.default_rng(42)
    return {
        "images": rng.random((N, H, W, C_in), dtype=np.float32),
        "weights": rng.random((K, K, C_in, C_out), dtype=np.float32),
        "bias": rng.random((C_out,), dtype=np.float32),
    }


def conv2d(images, weights):
    K, _, _, C_out = weights.shape
    N, H, W, _ = images.shape
    output = np.empty((N, H - K + 1, W - K + 1, C_out), dtype=np.float32)
    for i in range(H - K + 1):
        for j in range(W - K + 1):
            patch = images[:, i : i + K, j : j + K, :, np.newaxis]
            output[:, i, j, :] = np.sum(patch * weights[np.newaxis, :, :, :], axis=(1, 2, 3))
    return output


def kernel(images, weights, bias):
    return conv2d(images, weights) + bias
