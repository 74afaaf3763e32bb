"""Azimuthal integration: the mean of the data in each of `npt` rings of equal width.

The naive form of the pyFAI method (Kieffer and Ashiotis, EuroSciPy 2014): a new mask for each ring.
"""

import numpy as np

PRESETS = {
    "test": {"N": 2000, "npt": 10},
    "S": {"N": 400_000, "npt": 1000},
    "M": {"N": 4_000_000, "npt": 1000},
    "L": {"N": 40_000_000, "npt": 1000},
    "paper": {"N": 1_000_000, "npt": 1000},
}
MUTATES = ()


def initialize(N):
    rng = np.random.default_rng(42)
    return {"data": rng.random((N,)), "radius": rng.random((N,))}


def kernel(data, radius, npt):
    outermost = radius.max()
    rings = np.zeros(npt, dtype=np.float64)
    for i in range(npt):
        lower = outermost * i / npt
        upper = outermost * (i + 1) / npt
        inside = np.logical_and(lower <= radius, radius < upper)
        rings[i] = data[inside].mean()
    return rings
