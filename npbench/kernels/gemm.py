"""General matrix product: C = alpha A B + beta C (BLAS `gemm`, PolyBench `gemm`)."""

import numpy as np

PRESETS = {
    "test": {"NI": 5, "NJ": 6, "NK": 7},
    "S": {"NI": 1000, "NJ": 1100, "NK": 1200},
    "M": {"NI": 2500, "NJ": 2750, "NK": 3000},
    "L": {"NI": 7000, "NJ": 7500, "NK": 8000},
    "paper": {"NI": 2000, "NJ": 2300, "NK": 2600},
}
MUTATES = ("C",)


def grid(rows, columns):
    return np.ogrid[0:rows, 0:columns]


def initialize(NI, NJ, NK):
    i, j = grid(NI, NJ)
    C = ((i * j + 1) % NI) / NI
    i, k = grid(NI, NK)
    A = (i * (k + 1) % NK) / NK
    k, j = grid(NK, NJ)
    B = (k * (j + 2) % NJ) / NJ
    return {"alpha": np.float64(1.5), "beta": np.float64(1.2), "C": C, "A": A, "B": B}


def kernel(alpha, beta, C, A, B):
    C[:] = alpha * A @ B + beta * C
