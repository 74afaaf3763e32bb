"""`jacobi_2d` for Numba: rows in parallel."""

from numba import njit, prange


@njit(parallel=True)
def step(source, target):
    for i in prange(1, source.shape[0] - 1):
        for j in range(1, source.shape[1] - 1):
            around = source[i, j] + source[i, j - 1] + source[i, j + 1]
            target[i, j] = 0.2 * (around + source[i + 1, j] + source[i - 1, j])


@njit
def kernel(TSTEPS, A, B):
    for _ in range(1, TSTEPS):
        step(A, B)
        step(B, A)
