"""`stockham_fft` for Numba: a stage is one loop, between two buffers."""

import numpy as np
from numba import njit, prange


@njit(parallel=True)
def stage(source, target, butterfly, R, done, left):
    # The factor of part r at position d is a power of a root of unity.
    for d in prange(done):
        factors = np.exp(-2.0j * np.pi * np.arange(R) * d / (R * done))
        for k in range(left):
            for s in range(R):
                total = 0j
                for r in range(R):
                    total += butterfly[s, r] * (source[(d * R + r) * left + k] * factors[r])
                target[(s * done + d) * left + k] = total


@njit
def kernel(N, R, K, x, y):
    butterfly = np.empty((R, R), np.complex128)
    for s in range(R):
        for r in range(R):
            butterfly[s, r] = np.exp(-2.0j * np.pi * s * r / R)
    source = x.copy()
    target = np.empty_like(x)
    for i in range(K):
        stage(source, target, butterfly, R, R**i, R ** (K - i - 1))
        source, target = target, source
    y[:] = source
