"""Great-circle distance between pairs of points on the unit sphere, by the haversine formula.

From the Pythran benchmarks, by way of NPBench.
"""

import numpy as np

PRESETS = {
    "test": {"N": 50},
    "S": {"N": 100_000},
    "M": {"N": 1_000_000},
    "L": {"N": 10_000_000},
    "paper": {"N": 10_000_000},
}
MUTATES = ()


def initialize(N):
    rng = np.random.default_rng(42)
    return {name: rng.random((N,)) for name in ("theta_1", "phi_1", "theta_2", "phi_2")}


def kernel(theta_1, phi_1, theta_2, phi_2):
    polar = np.sin((theta_2 - theta_1) / 2) ** 2
    azimuthal = np.cos(theta_1) * np.cos(theta_2) * np.sin((phi_2 - phi_1) / 2) ** 2
    haversine = polar + azimuthal
    return 2 * np.arctan2(np.sqrt(haversine), np.sqrt(1 - haversine))
