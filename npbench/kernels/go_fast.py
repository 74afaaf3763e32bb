"""Add the sum of the hyperbolic tangents of the diagonal to every element of a matrix.

After the "5 minute guide" of the Numba manual: the diagonal is read an element at a time.
"""

import numpy as np

PRESETS = {
    "test": {"N": 7},
    "S": {"N": 2000},
    "M": {"N": 6000},
    "L": {"N": 20000},
    "paper": {"N": 12500},
}
MUTATES = ()


def initialize(N):
    return {"a": np.random.default_rng(42).random((N, N))}


def kernel(a):
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    return a + trace
