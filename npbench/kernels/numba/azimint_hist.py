"""`azimint_hist` for Numba: both histograms in one loop, with NumPy's rule for edges."""

import numpy as np
from numba import njit


@njit
def kernel(data, radius, npt):
    low, high = radius.min(), radius.max()
    edges = np.linspace(low, high, npt + 1)
    counts = np.zeros(npt, np.int64)
    totals = np.zeros(npt)
    scale = npt / (high - low)
    for i in range(radius.size):
        ring = min(int((radius[i] - low) * scale), npt - 1)
        # The edges decide where the product was rounded.
        if radius[i] < edges[ring]:
            ring -= 1
        elif ring != npt - 1 and radius[i] >= edges[ring + 1]:
            ring += 1
        counts[ring] += 1
        totals[ring] += data[i]
    return totals / counts
