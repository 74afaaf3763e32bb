"""`conv2d_bias` for Numba: loops, the channels of the output innermost."""

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


@njit
def kernel(images, weights, bias):
    return conv2d(images, weights) + bias
