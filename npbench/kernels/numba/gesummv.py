"""`gesummv` for Numba: two products by BLAS, scaled afterwards."""

from numba import njit


@njit
def kernel(alpha, beta, A, B, x):
    return alpha * (A @ x) + beta * (B @ x)
