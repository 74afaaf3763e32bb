"""`adi` for Numba: the lines of a sweep in parallel."""

import numpy as np
from numba import njit, prange


@njit(parallel=True)
def kernel(TSTEPS, N, u):
    v = np.empty_like(u)
    p = np.empty_like(u)
    q = np.empty_like(u)
    DT = 1.0 / TSTEPS
    DX = 1.0 / N
    along_y = -2.0 * DT / (DX * DX) / 2.0
    along_x = -1.0 * DT / (DX * DX) / 2.0
    diagonal = 1.0 - 2.0 * along_x
    for _ in range(TSTEPS):
        for i in prange(1, N - 1):
            v[0, i] = 1.0
            p[i, 0] = 0.0
            q[i, 0] = 1.0
            for j in range(1, N - 1):
                pivot = along_y * p[i, j - 1] + diagonal
                p[i, j] = -along_y / pivot
                right = -along_x * u[j, i - 1] + (1.0 + 2.0 * along_x) * u[j, i]
                q[i, j] = (right - along_x * u[j, i + 1] - along_y * q[i, j - 1]) / pivot
            v[N - 1, i] = 1.0
            for j in range(N - 2, 0, -1):
                v[j, i] = p[i, j] * v[j + 1, i] + q[i, j]
        for i in prange(1, N - 1):
            u[i, 0] = 1.0
            p[i, 0] = 0.0
            q[i, 0] = 1.0
            for j in range(1, N - 1):
                pivot = along_x * p[i, j - 1] + diagonal
                p[i, j] = -along_x / pivot
                right = -along_y * v[i - 1, j] + (1.0 + 2.0 * along_y) * v[i, j]
                q[i, j] = (right - along_y * v[i + 1, j] - along_x * q[i, j - 1]) / pivot
            u[i, N - 1] = 1.0
            for j in range(N - 2, 0, -1):
                u[i, j] = p[i, j] * u[i, j + 1] + q[i, j]
    return u
