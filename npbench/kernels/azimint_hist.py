"""Azimuthal integration: the mean of the data in each of `npt` rings of equal width.

The pyFAI method (Kieffer and Ashiotis, EuroSciPy 2014) by a weighted and an unweighted histogram.
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
    counts, _ = np.histogram(radius, npt)
    totals, _ = np.histogram(radius, npt, weights=data)
    return totals / counts
