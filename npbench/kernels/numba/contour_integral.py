"""`contour_integral` for Numba: LAPACK for each point."""

import numpy as np
from numba import njit


@njit
def kernel(NR, NM, slab_per_bc, Ham, int_pts, Y):
    P0 = np.zeros((NR, NM), np.complex128)
    P1 = np.zeros((NR, NM), np.complex128)
    for z in int_pts:
        Tz = np.zeros((NR, NR), np.complex128)
        for n in range(slab_per_bc + 1):
            Tz += z ** (slab_per_bc / 2 - n) * Ham[n]
        X = np.linalg.inv(Tz) if NR == NM else np.linalg.solve(Tz, Y)
        sign = -1.0 if abs(z) < 1.0 else 1.0
        for i in range(NR):
            for j in range(NM):
                P0[i, j] += sign * X[i, j]
                P1[i, j] += sign * z * X[i, j]
    return P0, P1
