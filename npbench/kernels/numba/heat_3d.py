"""`heat_3d` for Numba: planes in parallel."""

from numba import njit, prange


@njit(parallel=True)
def step(source, target):
    for i in prange(1, source.shape[0] - 1):
        for j in range(1, source.shape[1] - 1):
            for k in range(1, source.shape[2] - 1):
                centre = source[i, j, k]
                target[i, j, k] = (
                    0.125 * (source[i + 1, j, k] - 2.0 * centre + source[i - 1, j, k])
                    + 0.125 * (source[i, j + 1, k] - 2.0 * centre + source[i, j - 1, k])
                    + 0.125 * (source[i, j, k + 1] - 2.0 * centre + source[i, j, k - 1])
                    + centre
                )


@njit
def kernel(TSTEPS, A, B):
    for _ in range(1, TSTEPS):
        step(A, B)
        step(B, A)
