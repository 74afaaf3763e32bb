"""`deriche` for Numba: lines in parallel along the rows, blocks of columns along the columns."""

import numpy as np
from numba import njit, prange

BLOCK = 64


@njit(parallel=True)
def kernel(alpha, imgIn):
    decay = np.exp(-alpha)
    k = (1.0 - decay) * (1.0 - decay) / (1.0 + alpha * decay - np.exp(2.0 * alpha))
    a1 = k
    a2 = k * decay * (alpha - 1.0)
    a3 = k * decay * (alpha + 1.0)
    a4 = -k * np.exp(-2.0 * alpha)
    b1 = 2.0 ** (-alpha)
    b2 = -np.exp(-2.0 * alpha)
    W, H = imgIn.shape
    x = np.empty_like(imgIn)
    y1 = np.empty_like(imgIn)
    y2 = np.empty_like(imgIn)
    for i in prange(W):
        y1[i, 0] = a1 * imgIn[i, 0]
        y1[i, 1] = a1 * imgIn[i, 1] + a2 * imgIn[i, 0] + b1 * y1[i, 0]
        for j in range(2, H):
            y1[i, j] = a1 * imgIn[i, j] + a2 * imgIn[i, j - 1]
            y1[i, j] += b1 * y1[i, j - 1] + b2 * y1[i, j - 2]
        y2[i, H - 1] = 0.0
        y2[i, H - 2] = a3 * imgIn[i, H - 1]
        for j in range(H - 3, -1, -1):
            y2[i, j] = a3 * imgIn[i, j + 1] + a4 * imgIn[i, j + 2]
            y2[i, j] += b1 * y2[i, j + 1] + b2 * y2[i, j + 2]
        for j in range(H):
            x[i, j] = y1[i, j] + y2[i, j]
    for block in prange((H + BLOCK - 1) // BLOCK):
        start, end = block * BLOCK, min(block * BLOCK + BLOCK, H)
        for j in range(start, end):
            y1[0, j] = a1 * x[0, j]
            y1[1, j] = a1 * x[1, j] + a2 * x[0, j] + b1 * y1[0, j]
            y2[W - 1, j] = 0.0
            y2[W - 2, j] = a3 * x[W - 1, j]
        for i in range(2, W):
            for j in range(start, end):
                y1[i, j] = a1 * x[i, j] + a2 * x[i - 1, j] + b1 * y1[i - 1, j] + b2 * y1[i - 2, j]
        for i in range(W - 3, -1, -1):
            for j in range(start, end):
                y2[i, j] = a3 * x[i + 1, j] + a4 * x[i + 2, j]
                y2[i, j] += b1 * y2[i + 1, j] + b2 * y2[i + 2, j]
        for i in range(W):
            for j in range(start, end):
                x[i, j] = y1[i, j] + y2[i, j]
    return x
