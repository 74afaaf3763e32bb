"""Escape-time picture of the Mandelbrot set; the points that have escaped are removed.

After N. Rougier's "From Python to NumPy": the arrays shrink in each step, by a boolean mask.
"""

import numpy as np

PRESETS = {
    "test": {"xmin": -2.0, "xmax": 0.5, "XN": 12, "ymin": -1.25, "ymax": 1.25, "YN": 9}
    | {"maxiter": 10, "horizon": 2.0},
    "S": {"xmin": -2.0, "xmax": 0.5, "XN": 200, "ymin": -1.25, "ymax": 1.25, "YN": 200}
    | {"maxiter": 40, "horizon": 2.0},
    "M": {"xmin": -2.0, "xmax": 0.5, "XN": 500, "ymin": -1.25, "ymax": 1.25, "YN": 500}
    | {"maxiter": 80, "horizon": 2.0},
    "L": {"xmin": -2.25, "xmax": 0.75, "XN": 1000, "ymin": -1.5, "ymax": 1.5, "YN": 1000}
    | {"maxiter": 100, "horizon": 2.0},
    "paper": {"xmin": -2.25, "xmax": 0.75, "XN": 1000, "ymin": -1.25, "ymax": 1.25, "YN": 1000}
    | {"maxiter": 200, "horizon": 2.0},
}
MUTATES = ()
# Points near the boundary amplify an ulp, as in mandelbrot1. NPBench's own tolerance.
NORM_TOLERANCES = {"S": 1e-3, "M": 1e-3, "L": 1e-3, "paper": 1e-3}


def kernel(xmin, xmax, ymin, ymax, XN, YN, maxiter, horizon):
    rows, columns = np.mgrid[0:XN, 0:YN]
    X = np.linspace(xmin, xmax, XN, dtype=np.float64)[rows]
    Y = np.linspace(ymin, ymax, YN, dtype=np.float64)[columns]
    C = X + Y * 1j
    counts = np.zeros(C.shape, dtype=np.int64)
    last = np.zeros(C.shape, dtype=np.complex128)
    rows.shape = columns.shape = C.shape = XN * YN
    Z = np.zeros(C.shape, np.complex128)
    for n in range(maxiter):
        if not len(Z):
            break
        np.multiply(Z, Z, Z)
        np.add(Z, C, Z)
        chosen = abs(Z) > horizon
        counts[rows[chosen], columns[chosen]] = n + 1
        last[rows[chosen], columns[chosen]] = Z[chosen]
        # Go on with the others.
        np.logical_not(chosen, chosen)
        Z = Z[chosen]
        rows, columns = rows[chosen], columns[chosen]
        C = C[chosen]
    return last.T, counts.T
