"""`jacobi_1d` for Numba: two loops; too small for threads."""

from numba import njit


@njit
def kernel(TSTEPS, A, B):
    n = A.shape[0]
    for _ in range(1, TSTEPS):
        for i in range(1, n - 1):
            B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1])
        for i in range(1, n - 1):
            A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1])
