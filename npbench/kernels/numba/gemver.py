"""`gemver` for Numba: the update as one loop, the products by BLAS."""

from numba import njit, prange


@njit(parallel=True)
def kernel(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    n = A.shape[0]
    for i in prange(n):
        for j in range(n):
            A[i, j] += u1[i] * v1[j] + u2[i] * v2[j]
    x += beta * (y @ A) + z
    w += alpha * (A @ x)
