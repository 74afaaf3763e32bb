"""`resnet` for Numba: loops; the normalisation is over the images, the first axis."""

import numpy as np
from numba import njit, prange


@njit(parallel=True)
def conv2d(x, weights):
    K, _, C_in, C_out = weights.shape
    N, H, W, _ = x.shape
    output = np.zeros((N, H - K + 1, W - K + 1, C_out), np.float32)
    for row in prange(N * (H - K + 1)):
        # A signed index: the parallel one is unsigned, and mixed arithmetic gives floats.
        n, i = divmod(np.int64(row), H - K + 1)
        for j in range(W - K + 1):
            for a in range(K):
                for b in range(K):
                    for c in range(C_in):
                        value = x[n, i + a, j + b, c]
                        for d in range(C_out):
                            output[n, i, j, d] += value * weights[a, b, c, d]
    return output


@njit(parallel=True)
def normalise(x):
    """In place, in the type of `x`."""
    N, H, W, C = x.shape
    for i in prange(H):
        for j in range(W):
            for c in range(C):
                total = square = 0.0
                for n in range(N):
                    total += x[n, i, j, c]
                mean = total / N
                for n in range(N):
                    square += (x[n, i, j, c] - mean) ** 2
                scale = np.sqrt(np.sqrt(square / N) + 1e-5)
                for n in range(N):
                    x[n, i, j, c] = (x[n, i, j, c] - mean) / scale


@njit
def kernel(input, conv1, conv2, conv3):
    N, H, W, _ = input.shape
    padded = np.zeros((N, H + 2, W + 2, conv1.shape[3]))
    padded[:, 1:-1, 1:-1, :] = conv2d(input, conv1)
    normalise(padded)
    x = conv2d(np.maximum(padded, 0.0), conv2)
    normalise(x)
    x = conv2d(np.maximum(x, np.float32(0)), conv3)
    normalise(x)
    return np.maximum(x + input, np.float32(0))
