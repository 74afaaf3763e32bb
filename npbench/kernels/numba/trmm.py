"""`trmm` for Numba: loops along rows."""

from numba import njit


@njit
def kernel(alpha, A, B):
    rows, columns = B.shape
    for i in range(rows):
        for k in range(i + 1, rows):
            factor = A[k, i]
            for j in range(columns):
                B[i, j] += factor * B[k, j]
        for j in range(columns):
            B[i, j] *= alpha
