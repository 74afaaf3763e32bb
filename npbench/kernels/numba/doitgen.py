"""`doitgen` for Numba: one large product by BLAS."""

from numba import njit


@njit
def kernel(NR, NQ, NP, A, C4):
    A[:] = (A.reshape(NR * NQ, NP) @ C4).reshape(NR, NQ, NP)
