"""`syr2k` for Numba: inner products of rows, the rows of the result in parallel."""

from numba import njit, prange


@njit(parallel=True, fastmath={"reassoc"})
def kernel(alpha, beta, C, A, B):
    n, m = A.shape
    for i in prange(n):
        for j in range(i + 1):
            total = 0.0
            for k in range(m):
                total += A[j, k] * B[i, k] + B[j, k] * A[i, k]
            C[i, j] = beta * C[i, j] + alpha * total
