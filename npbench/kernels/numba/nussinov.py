"""`nussinov` for Numba: the same loops."""

import numpy as np
from numba import njit


@njit
def kernel(N, seq):
    table = np.zeros((N, N), np.int32)
    for i in range(N - 1, -1, -1):
        for j in range(i + 1, N):
            best = max(table[i, j - 1], table[i + 1, j])
            pair = 1 if i < j - 1 and seq[i] + seq[j] == 3 else 0
            best = max(best, table[i + 1, j - 1] + pair)
            for k in range(i + 1, j):
                best = max(best, table[i, k] + table[k + 1, j])
            table[i, j] = best
    return table
