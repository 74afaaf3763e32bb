"""Escape-time picture of the Mandelbrot set, updating only the points that have not escaped.

After N. Rougier's "From Python to NumPy": read and write through the same boolean mask.
"""

import numpy as np

PRESETS = {
    "test": {"xmin": -1.75, "xmax": 0.25, "XN": 12, "ymin": -1.0, "ymax": 1.0, "YN": 9}
    | {"maxiter": 10, "horizon": 2.0},
    "S": {"xmin": -1.75, "xmax": 0.25, "XN": 125, "ymin": -1.0, "ymax": 1.0, "YN": 125}
    | {"maxiter": 60, "horizon": 2.0},
    "M": {"xmin": -1.75, "xmax": 0.25, "XN": 250, "ymin": -1.0, "ymax": 1.0, "YN": 250}
    | {"maxiter": 150, "horizon": 2.0},
    "L": {"xmin": -2.0, "xmax": 0.5, "XN": 833, "ymin": -1.25, "ymax": 1.25, "YN": 833}
    | {"maxiter": 200, "horizon": 2.0},
    "paper": {"xmin": -2.25, "xmax": 0.75, "XN": 1000, "ymin": -1.25, "ymax": 1.25, "YN": 1000}
    | {"maxiter": 200, "horizon": 2.0},
}
MUTATES = ()
# Points near the boundary amplify an ulp: to 1e-6 of the norm at S. NPBench's own tolerance.
NORM_TOLERANCES = {"S": 1e-3, "M": 1e-3, "L": 1e-3, "paper": 1e-3}


def kernel(xmin, xmax, ymin, ymax, XN, YN, maxiter, horizon):
    X = np.linspace(xmin, xmax, XN, dtype=np.float64)
    Y = np.linspace(ymin, ymax, YN, dtype=np.float64)
    C = X + Y[:, None] * 1j
    counts = np.zeros(C.shape, dtype=np.int64)
    Z = np.zeros(C.shape, dtype=np.complex128)
    for n in range(maxiter):
        bounded = np.less(abs(Z), horizon)
        counts[bounded] = n
        Z[bounded] = Z[bounded] ** 2 + C[bounded]
    counts[counts == maxiter - 1] = 0
    return Z, counts
