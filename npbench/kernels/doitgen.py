"""The product of each row of a three-dimensional array with a matrix (PolyBench `doitgen`)."""

import numpy as np

PRESETS = {
    "test": {"NR": 3, "NQ": 4, "NP": 5},
    "S": {"NR": 60, "NQ": 60, "NP": 128},
    "M": {"NR": 110, "NQ": 125, "NP": 256},
    "L": {"NR": 220, "NQ": 250, "NP": 512},
    "paper": {"NR": 220, "NQ": 250, "NP": 270},
}
MUTATES = ("A",)


def initialize(NR, NQ, NP):
    i, j, k = np.ogrid[0.0:NR, 0.0:NQ, 0.0:NP]
    a, b = np.ogrid[0.0:NP, 0.0:NP]
    return {"A": (i * j + k) % NP / NP, "C4": a * b % NP / NP}


def kernel(NR, NQ, NP, A, C4):
    A[:] = np.reshape(np.reshape(A, (NR, NQ, 1, NP)) @ C4, (NR, NQ, NP))
