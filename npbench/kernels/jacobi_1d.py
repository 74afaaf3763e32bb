"""Jacobi relaxation on a line, three-point stencil (PolyBench `jacobi-1d`)."""

import numpy as np

PRESETS = {
    "test": {"TSTEPS": 4, "N": 10},
    "S": {"TSTEPS": 800, "N": 3200},
    "M": {"TSTEPS": 3000, "N": 12000},
    "L": {"TSTEPS": 8500, "N": 34000},
    "paper": {"TSTEPS": 4000, "N": 32000},
}
MUTATES = ("A", "B")


def initialize(N):
    i = np.arange(N, dtype=np.float64)
    return {"A": (i + 2) / N, "B": (i + 3) / N}


def kernel(TSTEPS, A, B):
    for _ in range(1, TSTEPS):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])
