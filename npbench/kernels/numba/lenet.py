"""`lenet` for Numba: loops for the convolutions and maxima, BLAS for the dense layers."""

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
def rectified_maxima(x, bias):
    """The rectifier of `x + bias`, and the maximum over windows of two by two."""
    N, H, W, C = x.shape
    output = np.empty((N, H // 2, W // 2, C), np.float32)
    for n in prange(N):
        for i in range(H // 2):
            for j in range(W // 2):
                for c in range(C):
                    upper = max(x[n, 2 * i, 2 * j, c], x[n, 2 * i, 2 * j + 1, c])
                    lower = max(x[n, 2 * i + 1, 2 * j, c], x[n, 2 * i + 1, 2 * j + 1, c])
                    output[n, i, j, c] = max(max(upper, lower) + bias[c], np.float32(0))
    return output


@njit
def dense(x, weights, bias):
    return np.maximum(x @ weights + bias, np.float32(0))


@njit
def kernel(
    input, conv1, conv1bias, conv2, conv2bias, fc1w, fc1b, fc2w, fc2b, fc3w, fc3b, N, C_before_fc1
):
    x = rectified_maxima(conv2d(input, conv1), conv1bias)
    x = rectified_maxima(conv2d(x, conv2), conv2bias)
    y = dense(x.reshape(N, C_before_fc1), fc1w, fc1b)
    return dense(y, fc2w, fc2b) @ fc3w + fc3b
