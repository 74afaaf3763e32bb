"""`seidel_2d` for Numba: one loop over elements."""

from numba import njit


@njit
def kernel(TSTEPS, N, A):
    for _ in range(TSTEPS - 1):
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                above = A[i - 1, j - 1] + A[i - 1, j] + A[i - 1, j + 1]
                below = A[i + 1, j - 1] + A[i + 1, j] + A[i + 1, j + 1]
                A[i, j] = (A[i, j] + above + A[i, j + 1] + below + A[i, j - 1]) / 9.0
