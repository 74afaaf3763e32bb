"""Alternating direction implicit method for the two-dimensional heat equation (PolyBench `adi`).

Each step solves a tridiagonal system along one axis for all lines at once, then along the other.
"""

import numpy as np

PRESETS = {
    "test": {"TSTEPS": 2, "N": 8},
    "S": {"TSTEPS": 5, "N": 100},
    "M": {"TSTEPS": 20, "N": 200},
    "L": {"TSTEPS": 50, "N": 500},
    "paper": {"TSTEPS": 100, "N": 200},
}
MUTATES = ("u",)


def initialize(N):
    i, j = np.indices((N, N), dtype=np.float64)
    return {"u": (i + N - j) / N}


def sweep(source, target, p, q, implicit, explicit, diagonal):
    """Solve for the rows of `target` from the rows of `source` by Thomas elimination."""
    n = source.shape[0]
    inner = slice(1, n - 1)
    target[0, inner] = 1.0
    p[inner, 0] = 0.0
    q[inner, 0] = target[0, inner]
    for j in range(1, n - 1):
        p[inner, j] = -implicit / (implicit * p[inner, j - 1] + diagonal)
        q[inner, j] = (
            -explicit * source[j, 0 : n - 2]
            + (1.0 + 2.0 * explicit) * source[j, inner]
            - explicit * source[j, 2:n]
            - implicit * q[inner, j - 1]
        ) / (implicit * p[inner, j - 1] + diagonal)
    target[n - 1, inner] = 1.0
    for j in range(n - 2, 0, -1):
        target[j, inner] = p[inner, j] * target[j + 1, inner] + q[inner, j]


def kernel(TSTEPS, N, u):
    v = np.empty(u.shape, dtype=u.dtype)
    p = np.empty(u.shape, dtype=u.dtype)
    q = np.empty(u.shape, dtype=u.dtype)
    DT = 1.0 / TSTEPS
    DX = 1.0 / N
    along_y = -2.0 * DT / (DX * DX) / 2.0
    along_x = -1.0 * DT / (DX * DX) / 2.0
    # NPBench has this diagonal in both sweeps; the numbers agree with its own.
    diagonal = 1.0 - 2.0 * along_x
    for _ in range(TSTEPS):
        sweep(u, v, p, q, along_y, along_x, diagonal)
        sweep(v.T, u.T, p, q, along_x, along_y, diagonal)
    return u
