"""Heat equation in three dimensions, seven-point stencil (PolyBench `heat-3d`)."""

import numpy as np

PRESETS = {
    "test": {"TSTEPS": 3, "N": 6},
    "S": {"TSTEPS": 25, "N": 25},
    "M": {"TSTEPS": 50, "N": 40},
    "L": {"TSTEPS": 100, "N": 70},
    "paper": {"TSTEPS": 500, "N": 120},
}
MUTATES = ("A", "B")


def initialize(N):
    i, j, k = np.indices((N, N, N), dtype=np.float64)
    A = (i + j + (N - k)) * 10 / N
    return {"A": A, "B": A.copy()}


def step(source, target):
    centre = source[1:-1, 1:-1, 1:-1]
    target[1:-1, 1:-1, 1:-1] = (
        0.125 * (source[2:, 1:-1, 1:-1] - 2.0 * centre + source[:-2, 1:-1, 1:-1])
        + 0.125 * (source[1:-1, 2:, 1:-1] - 2.0 * centre + source[1:-1, :-2, 1:-1])
        + 0.125 * (source[1:-1, 1:-1, 2:] - 2.0 * centre + source[1:-1, 1:-1, :-2])
        + centre
    )


def kernel(TSTEPS, A, B):
    for _ in range(1, TSTEPS):
        step(A, B)
        step(B, A)
