"""All-pairs shortest paths by the Floyd-Warshall recurrence on an int32 distance matrix."""

import numpy as np

PRESETS = {
    "test": {"N": 12},
    "S": {"N": 200},
    "M": {"N": 400},
    "L": {"N": 850},
    "paper": {"N": 2800},
}
MUTATES = ("path",)


def initialize(N):
    i, j = np.indices((N, N), dtype=np.int32)
    path = i * j % 7 + 1
    total = i + j
    path[(total % 13 == 0) | (total % 7 == 0) | (total % 11 == 0)] = 999
    return {"path": path}


def kernel(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))
