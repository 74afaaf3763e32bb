"""`durbin` for Numba: loops, with the two ends of the vector updated together."""

import numpy as np
from numba import njit


@njit(fastmath={"reassoc"})
def kernel(r):
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        total = 0.0
        for i in range(k):
            total += r[k - 1 - i] * y[i]
        alpha = -(r[k] + total) / beta
        for i in range((k + 1) // 2):
            low, high = y[i], y[k - 1 - i]
            y[i] = low + alpha * high
            y[k - 1 - i] = high + alpha * low
        y[k] = alpha
    return y
