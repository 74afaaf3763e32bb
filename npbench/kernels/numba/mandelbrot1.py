"""`mandelbrot1` for Numba: each point until it escapes, rows in parallel."""

import numpy as np
from numba import njit, prange


@njit(parallel=True)
def kernel(xmin, xmax, ymin, ymax, XN, YN, maxiter, horizon):
    X = np.linspace(xmin, xmax, XN)
    Y = np.linspace(ymin, ymax, YN)
    Z = np.zeros((YN, XN), np.complex128)
    counts = np.zeros((YN, XN), np.int64)
    for i in prange(YN):
        for j in range(XN):
            c = complex(X[j], Y[i])
            z = 0j
            last = 0
            for n in range(maxiter):
                if abs(z) >= horizon:
                    break
                last = n
                z = z * z + c
            Z[i, j] = z
            counts[i, j] = 0 if last == maxiter - 1 else last
    return Z, counts
