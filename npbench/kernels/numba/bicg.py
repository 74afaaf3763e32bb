"""`bicg` for Numba: two products by BLAS."""

from numba import njit


@njit
def kernel(A, p, r):
    return r @ A, A @ p
