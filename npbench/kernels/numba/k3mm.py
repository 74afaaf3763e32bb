"""`k3mm` for Numba: BLAS."""

from numba import njit


@njit
def kernel(A, B, C, D):
    return A @ B @ C @ D
