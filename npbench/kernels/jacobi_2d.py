"""Jacobi relaxation on a square, five-point stencil (PolyBench `jacobi-2d`)."""

import numpy as np

PRESETS = {
    "test": {"TSTEPS": 3, "N": 7},
    "S": {"TSTEPS": 50, "N": 150},
    "M": {"TSTEPS": 80, "N": 350},
    "L": {"TSTEPS": 200, "N": 700},
    "paper": {"TSTEPS": 1000, "N": 2800},
}
MUTATES = ("A", "B")


def initialize(N):
    i, j = np.indices((N, N), dtype=np.float64)
    return {"A": i * (j + 2) / N, "B": i * (j + 3) / N}


def step(source, target):
    target[1:-1, 1:-1] = 0.2 * (
        source[1:-1, 1:-1]
        + source[1:-1, :-2]
        + source[1:-1, 2:]
        + source[2:, 1:-1]
        + source[:-2, 1:-1]
    )


def kernel(TSTEPS, A, B):
    for _ in range(1, TSTEPS):
        step(A, B)
        step(B, A)
