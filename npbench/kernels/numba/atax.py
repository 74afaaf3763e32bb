"""`atax` for Numba: two products by BLAS."""

from numba import njit


@njit
def kernel(A, x):
    return (A @ x) @ A
