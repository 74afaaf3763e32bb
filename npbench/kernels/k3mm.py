"""The product of four matrices (PolyBench `3mm`, in NPBench's order)."""

import numpy as np

PRESETS = {
    "test": {"NI": 5, "NJ": 6, "NK": 7, "NL": 8, "NM": 9},
    "S": {"NI": 800, "NJ": 850, "NK": 900, "NL": 950, "NM": 1000},
    "M": {"NI": 2000, "NJ": 2200, "NK": 2400, "NL": 2600, "NM": 2800},
    "L": {"NI": 5500, "NJ": 6000, "NK": 6500, "NL": 7000, "NM": 7500},
    "paper": {"NI": 3200, "NJ": 3600, "NK": 4000, "NL": 4400, "NM": 4800},
}
MUTATES = ()


def grid(rows, columns):
    return np.ogrid[0.0:rows, 0.0:columns]


def initialize(NI, NJ, NK, NL, NM):
    i, k = grid(NI, NK)
    A = (i * k + 1) % NI / (5 * NI)
    k, j = grid(NK, NJ)
    B = (k * (j + 1) + 2) % NJ / (5 * NJ)
    j, m = grid(NJ, NM)
    C = j * (m + 3) % NL / (5 * NL)
    m, n = grid(NM, NL)
    D = (m * (n + 2) + 2) % NK / (5 * NK)
    return {"A": A, "B": B, "C": C, "D": D}


def kernel(A, B, C, D):
    return A @ B @ C @ D
