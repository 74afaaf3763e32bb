"""Finite differences in the time domain for a two-dimensional electromagnetic wave.

PolyBench `fdtd-2d`: the electric field (`ex`, `ey`) and the magnetic field (`hz`) leapfrog.
"""

import numpy as np

PRESETS = {
    "test": {"TMAX": 3, "NX": 7, "NY": 8},
    "S": {"TMAX": 20, "NX": 200, "NY": 220},
    "M": {"TMAX": 60, "NX": 400, "NY": 450},
    "L": {"TMAX": 150, "NX": 800, "NY": 900},
    "paper": {"TMAX": 500, "NX": 1000, "NY": 1200},
}
MUTATES = ("ex", "ey", "hz")


def initialize(TMAX, NX, NY):
    i, j = np.indices((NX, NY), dtype=np.float64)
    return {
        "ex": (i * (j + 1)) / NX,
        "ey": (i * (j + 2)) / NY,
        "hz": (i * (j + 3)) / NX,
        "pulse": np.arange(TMAX, dtype=np.float64),
    }


def kernel(TMAX, ex, ey, hz, pulse):
    for t in range(TMAX):
        ey[0, :] = pulse[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
