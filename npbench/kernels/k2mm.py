"""Two matrix products in a row, scaled and added to a matrix (PolyBench `2mm`)."""

import numpy as np

PRESETS = {
    "test": {"NI": 5, "NJ": 6, "NK": 7, "NL": 8},
    "S": {"NI": 800, "NJ": 850, "NK": 900, "NL": 950},
    "M": {"NI": 2000, "NJ": 2250, "NK": 2500, "NL": 2750},
    "L": {"NI": 6000, "NJ": 6500, "NK": 7000, "NL": 7500},
    "paper": {"NI": 3200, "NJ": 3600, "NK": 4400, "NL": 4800},
}
MUTATES = ("D",)


def grid(rows, columns):
    return np.ogrid[0.0:rows, 0.0:columns]


def initialize(NI, NJ, NK, NL):
    i, k = grid(NI, NK)
    A = (i * k + 1) % NI / NI
    k, j = grid(NK, NJ)
    B = k * (j + 1) % NJ / NJ
    j, m = grid(NJ, NL)
    C = (j * (m + 3) + 1) % NL / NL
    i, m = grid(NI, NL)
    D = i * (m + 2) % NK / NK
    return {"alpha": np.float64(1.5), "beta": np.float64(1.2), "A": A, "B": B, "C": C, "D": D}


def kernel(alpha, beta, A, B, C, D):
    D[:] = alpha * A @ B @ C + beta * D
