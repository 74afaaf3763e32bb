"""`syrk` for Numba: inner products of rows, the rows of the result in parallel."""

from numba import njit, prange


@njit(parallel=True, fastmath={"reassoc"})
def kernel(alpha, beta, C, A):
    n, m = A.shape
    for i in prange(n):
        for j in range(i + 1):
            total = 0.0
            for k in range(m):
                total += A[i, k] * A[j, k]
            C[i, j] = beta * C[i, j] + alpha * total
