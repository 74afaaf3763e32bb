"""`floyd_warshall` for Numba: rows in parallel, the row of the round copied first."""

from numba import njit, prange


@njit(parallel=True)
def kernel(path):
    n = path.shape[0]
    for k in range(n):
        through = path[k].copy()
        for i in prange(n):
            to = path[i, k]
            for j in range(n):
                path[i, j] = min(path[i, j], to + through[j])
