"""`trisolv` for Numba: inner products as loops."""

from numba import njit


@njit(fastmath={"reassoc"})
def kernel(L, x, b):
    for i in range(x.shape[0]):
        total = 0.0
        for j in range(i):
            total += L[i, j] * x[j]
        x[i] = (b[i] - total) / L[i, i]
