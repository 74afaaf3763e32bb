"""`azimint_naive` for Numba: the rings in parallel, each a pass over the data."""

import numpy as np
from numba import njit, prange


@njit(parallel=True)
def kernel(data, radius, npt):
    outermost = radius.max()
    rings = np.zeros(npt)
    for i in prange(npt):
        lower = outermost * i / npt
        upper = outermost * (i + 1) / npt
        count = 0
        total = 0.0
        for j in range(radius.size):
            if lower <= radius[j] and radius[j] < upper:
                count += 1
                total += data[j]
        rings[i] = total / count
    return rings
