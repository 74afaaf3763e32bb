"""Gauss-Seidel iteration with a stencil of nine points, in place (PolyBench `seidel_2d`).

Seven neighbours are added to a row at once; the eighth is new, so a loop over elements adds it.
"""

import numpy as np

PRESETS = {
    "test": {"TSTEPS": 3, "N": 8},
    "S": {"TSTEPS": 8, "N": 50},
    "M": {"TSTEPS": 15, "N": 100},
    "L": {"TSTEPS": 40, "N": 200},
    "paper": {"TSTEPS": 100, "N": 400},
}
MUTATES = ("A",)


def initialize(N):
    i, j = np.ogrid[0.0:N, 0.0:N]
    return {"A": (i * (j + 2) + 2) / N}


def kernel(TSTEPS, N, A):
    for _ in range(TSTEPS - 1):
        for i in range(1, N - 1):
            A[i, 1:-1] += (
                A[i - 1, :-2]
                + A[i - 1, 1:-1]
                + A[i - 1, 2:]
                + A[i, 2:]
                + A[i + 1, :-2]
                + A[i + 1, 1:-1]
                + A[i + 1, 2:]
            )
            for j in range(1, N - 1):
                A[i, j] += A[i, j - 1]
                A[i, j] /= 9.0
