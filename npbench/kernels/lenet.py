"""Inference by the convolutional network LeNet-5 on float32 images, channels last.

Two convolutions, each followed by a rectifier and a maximum over windows of two by two, then three
dense layers. A convolution and a maximum are computed pixel by pixel, all images at once.
"""

import numpy as np

PRESETS = {
    "test": {"N": 2, "H": 16, "W": 18},
    "S": {"N": 4, "H": 28, "W": 28},
    "M": {"N": 8, "H": 56, "W": 56},
    "L": {"N": 8, "H": 176, "W": 176},
    "paper": {"N": 16, "H": 256, "W": 256},
}
MUTATES = ()


def initialize(N, H, W):
    rng = np.random.default_rng(42)
    # Each convolution takes four rows and columns, each maximum halves what is left.
    rows, columns = ((((size - 4) // 2) - 4) // 2 for size in (H, W))
    C_before_fc1 = 16 * rows * columns
    shapes = {
        "input": (N, H, W, 1),
        "conv1": (5, 5, 1, 6),
        "conv1bias": (6,),
        "conv2": (5, 5, 6, 16),
        "conv2bias": (16,),
        "fc1w": (C_before_fc1, 120),
        "fc1b": (120,),
        "fc2w": (120, 84),
        "fc2b": (84,),
        "fc3w": (84, 10),
        "fc3b": (10,),
    }
    arrays = {name: rng.random(shape, dtype=np.float32) for name, shape in shapes.items()}
    return arrays | {"C_before_fc1": C_before_fc1}


def relu(x):
    return np.maximum(x, 0)


def conv2d(x, weights):
    K, _, _, C_out = weights.shape
    N, H, W, _ = x.shape
    output = np.empty((N, H - K + 1, W - K + 1, C_out), dtype=np.float32)
    for i in range(H - K + 1):
        for j in range(W - K + 1):
            patch = x[:, i : i + K, j : j + K, :, np.newaxis]
            output[:, i, j, :] = np.sum(patch * weights[np.newaxis, :, :, :], axis=(1, 2, 3))
    return output


def maxpool2d(x):
    N, H, W, C = x.shape
    output = np.empty((N, H // 2, W // 2, C), dtype=x.dtype)
    for i in range(H // 2):
        for j in range(W // 2):
            window = x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :]
            output[:, i, j, :] = np.max(window, axis=(1, 2))
    return output


def kernel(
    input, conv1, conv1bias, conv2, conv2bias, fc1w, fc1b, fc2w, fc2b, fc3w, fc3b, N, C_before_fc1
):
    x = relu(conv2d(input, conv1) + conv1bias)
    x = maxpool2d(x)
    x = relu(conv2d(x, conv2) + conv2bias)
    x = maxpool2d(x)
    x = np.reshape(x, (N, C_before_fc1))
    x = relu(x @ fc1w + fc1b)
    x = relu(x @ fc2w + fc2b)
    return x @ fc3w + fc3b
