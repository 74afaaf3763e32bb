"""`mandelbrot2` for Numba: each point until it escapes, columns in parallel."""

import numpy as np
from numba import njit, prange


@njit(parallel=True)
def kernel(xmin, xmax, ymin, ymax, XN, YN, maxiter, horizon):
    X = np.linspace(xmin, xmax, XN)
    Y = np.linspace(ymin, ymax, YN)
    last = np.zeros((XN, YN), np.complex128)
    counts = np.zeros((XN, YN), np.int64)
    for i in prange(XN):
        for j in range(YN):
            c = complex(X[i], Y[j])
            z = 0j
            for n in range(maxiter):
                z = z * z + c
                if abs(z) > horizon:
                    last[i, j] = z
                    counts[i, j] = n + 1
                    break
    return last.T, counts.T
