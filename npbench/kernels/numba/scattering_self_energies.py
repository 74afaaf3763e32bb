"""`scattering_self_energies` for Numba: the same loops, the small products written out."""

import numpy as np
from numba import njit, prange


@njit(parallel=True)
def kernel(neigh_idx, dH, G, D, Sigma):
    Nkz, NE, NA, Norb, _ = G.shape
    Nqz, Nw, _, NB, N3D, _ = D.shape
    for row in prange(Nkz * NE):
        k, E = divmod(np.int64(row), NE)
        dHG = np.empty((Norb, Norb), np.complex128)
        for a in range(NA):
            for b in range(NB):
                for w in range(min(Nw, E + 1)):
                    near = G[k, E - w, neigh_idx[a, b]]
                    for i in range(N3D):
                        for x in range(Norb):
                            for y in range(Norb):
                                total = 0j
                                for z in range(Norb):
                                    total += near[x, z] * dH[a, b, i, z, y]
                                dHG[x, y] = total
                        for q in range(Nqz):
                            for j in range(N3D):
                                factor = D[q, w, a, b, i, j]
                                for x in range(Norb):
                                    for z in range(Norb):
                                        left = dHG[x, z] * factor
                                        for y in range(Norb):
                                            Sigma[k, E, a, x, y] += left * dH[a, b, j, z, y]
