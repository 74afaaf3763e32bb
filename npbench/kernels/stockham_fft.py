"""Stockham's fast Fourier transform of `R**K` points: a stage permutes, scales, multiplies."""

import numpy as np

PRESETS = {
    "test": {"R": 2, "K": 4},
    "S": {"R": 2, "K": 15},
    "M": {"R": 2, "K": 18},
    "L": {"R": 2, "K": 21},
    "paper": {"R": 4, "K": 10},
}
MUTATES = ("y",)


def initialize(R, K):
    rng = np.random.default_rng(42)
    N = R**K
    x = rng.random((N,)) + rng.random((N,)) * 1j
    return {"N": N, "x": x, "y": np.zeros((N,), dtype=np.complex128)}


def kernel(N, R, K, x, y):
    # The Fourier transform of R points as a matrix.
    i_coord, j_coord = np.mgrid[0:R, 0:R]
    butterfly = np.exp(-2.0j * np.pi * i_coord * j_coord / R)
    y[:] = x[:]
    ii_coord, jj_coord = np.mgrid[0:R, 0 : R**K]
    for i in range(K):
        done, left = R**i, R ** (K - i - 1)
        permuted = np.transpose(np.reshape(y, (done, R, left)), axes=(1, 0, 2))
        D = np.empty((R, done, left), dtype=np.complex128)
        factors = np.exp(-2.0j * np.pi * ii_coord[:, :done] * jj_coord[:, :done] / R ** (i + 1))
        D[:] = np.repeat(np.reshape(factors, (R, done, 1)), left, axis=2)
        twiddled = np.reshape(permuted, (N,)) * np.reshape(D, (N,))
        y[:] = np.reshape(butterfly @ np.reshape(twiddled, (R, R ** (K - 1))), (N,))
