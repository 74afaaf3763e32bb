"""`k2mm` for Numba: BLAS, and one loop for the rest."""

from numba import njit, prange


@njit(parallel=True)
def kernel(alpha, beta, A, B, C, D):
    product = A @ B @ C
    for i in prange(D.shape[0]):
        for j in range(D.shape[1]):
            D[i, j] = alpha * product[i, j] + beta * D[i, j]
