"""Scattering self-energies of electrons by phonons, of a quantum transport code.

Eight loops around products of small complex matrices, with the neighbours of each atom in a table.
"""

import numpy as np

PRESETS = {
    "test": {"Nkz": 2, "NE": 3, "Nqz": 1, "Nw": 2, "N3D": 2, "NA": 3, "NB": 2, "Norb": 2},
    "S": {"Nkz": 2, "NE": 4, "Nqz": 2, "Nw": 2, "N3D": 2, "NA": 6, "NB": 2, "Norb": 3},
    "M": {"Nkz": 3, "NE": 5, "Nqz": 3, "Nw": 2, "N3D": 2, "NA": 10, "NB": 3, "Norb": 4},
    "L": {"Nkz": 3, "NE": 10, "Nqz": 3, "Nw": 3, "N3D": 3, "NA": 12, "NB": 4, "Norb": 4},
    "paper": {"Nkz": 4, "NE": 10, "Nqz": 4, "Nw": 3, "N3D": 3, "NA": 20, "NB": 4, "Norb": 4},
}
MUTATES = ("Sigma",)


def random_complex(rng, *shape):
    return rng.random(shape) + rng.random(shape) * 1j


def initialize(Nkz, NE, Nqz, Nw, N3D, NA, NB, Norb):
    rng = np.random.default_rng(42)
    # The atoms form a ring; positions between two atoms (for odd NB) are rounded down.
    offsets = np.arange(-NB / 2, NB / 2)
    neighbours = (np.arange(NA)[:, None] + offsets) % NA
    return {
        "neigh_idx": neighbours.astype(np.int32),
        "dH": random_complex(rng, NA, NB, N3D, Norb, Norb),
        "G": random_complex(rng, Nkz, NE, NA, Norb, Norb),
        "D": random_complex(rng, Nqz, Nw, NA, NB, N3D, N3D),
        "Sigma": np.zeros((Nkz, NE, NA, Norb, Norb), dtype=np.complex128),
    }


def kernel(neigh_idx, dH, G, D, Sigma):
    for k in range(G.shape[0]):
        for E in range(G.shape[1]):
            for q in range(D.shape[0]):
                for w in range(D.shape[1]):
                    for i in range(D.shape[-2]):
                        for j in range(D.shape[-1]):
                            for a in range(neigh_idx.shape[0]):
                                for b in range(neigh_idx.shape[1]):
                                    if E - w >= 0:
                                        dHG = G[k, E - w, neigh_idx[a, b]] @ dH[a, b, i]
                                        dHD = dH[a, b, j] * D[q, w, a, b, i, j]
                                        Sigma[k, E, a] += dHG @ dHD
