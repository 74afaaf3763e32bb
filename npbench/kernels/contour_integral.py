"""Moments of the resolvent of a matrix polynomial, summed over the points of a contour.

The part of a quantum transport code that finds the eigenvalues in a ring: a linear system with
many right-hand sides for each point, added where the point is outside of the unit circle and
subtracted where it is inside.
"""

import numpy as np

PRESETS = {
    "test": {"NR": 5, "NM": 7, "slab_per_bc": 2, "num_int_pts": 4},
    "S": {"NR": 50, "NM": 150, "slab_per_bc": 2, "num_int_pts": 32},
    "M": {"NR": 200, "NM": 400, "slab_per_bc": 2, "num_int_pts": 32},
    "L": {"NR": 600, "NM": 1000, "slab_per_bc": 2, "num_int_pts": 32},
    "paper": {"NR": 500, "NM": 1000, "slab_per_bc": 2, "num_int_pts": 32},
}
MUTATES = ()


def random_complex(rng, *shape):
    return rng.random(shape) + rng.random(shape) * 1j


def initialize(NR, NM, slab_per_bc, num_int_pts):
    rng = np.random.default_rng(42)
    return {
        "Ham": random_complex(rng, slab_per_bc + 1, NR, NR),
        "int_pts": random_complex(rng, num_int_pts),
        "Y": random_complex(rng, NR, NM),
    }


def kernel(NR, NM, slab_per_bc, Ham, int_pts, Y):
    P0 = np.zeros((NR, NM), dtype=np.complex128)
    P1 = np.zeros((NR, NM), dtype=np.complex128)
    for z in int_pts:
        Tz = np.zeros((NR, NR), dtype=np.complex128)
        for n in range(slab_per_bc + 1):
            power = np.power(z, slab_per_bc / 2 - n)
            Tz += power * Ham[n]
        if NR == NM:
            X = np.linalg.inv(Tz)
        else:
            X = np.linalg.solve(Tz, Y)
        if abs(z) < 1.0:
            X = -X
        P0 += X
        P1 += z * X
    return P0, P1
