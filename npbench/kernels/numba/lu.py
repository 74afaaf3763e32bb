"""`lu` for Numba: loops along rows."""

from numba import njit


@njit
def decompose(A):
    """Row by row: what each earlier row contributes is subtracted from the rest of a row."""
    n = A.shape[0]
    for i in range(n):
        for k in range(i):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]


@njit
def kernel(A):
    decompose(A)
