"""`arc_distance` for Numba: one loop."""

import numpy as np
from numba import njit, prange


@njit(parallel=True)
def kernel(theta_1, phi_1, theta_2, phi_2):
    distance = np.empty_like(theta_1)
    for i in prange(distance.size):
        polar = np.sin((theta_2[i] - theta_1[i]) / 2) ** 2
        half = np.sin((phi_2[i] - phi_1[i]) / 2)
        haversine = polar + np.cos(theta_1[i]) * np.cos(theta_2[i]) * half**2
        distance[i] = 2 * np.arctan2(np.sqrt(haversine), np.sqrt(1 - haversine))
    return distance
