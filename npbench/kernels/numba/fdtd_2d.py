"""`fdtd_2d` for Numba: a loop for each field, rows in parallel."""

from numba import njit, prange


@njit(parallel=True)
def kernel(TMAX, ex, ey, hz, pulse):
    rows, columns = hz.shape
    for t in range(TMAX):
        for i in prange(rows):
            if i == 0:
                ey[0, :] = pulse[t]
            else:
                for j in range(columns):
                    ey[i, j] -= 0.5 * (hz[i, j] - hz[i - 1, j])
            for j in range(1, columns):
                ex[i, j] -= 0.5 * (hz[i, j] - hz[i, j - 1])
        for i in prange(rows - 1):
            for j in range(columns - 1):
                hz[i, j] -= 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])
