"""Nearest neighbours by a sorted axis: points in arrays, early ends of searches."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
rng = np.random.default_rng(14)
points = rng.random((n, 2))
points = points[np.argsort(points[:, 0])]
nearest = np.full(n, -1)
total = 0.0
for i in range(n):
    best = np.inf
    for direction in (-1, 1):
        j = i + direction
        while 0 <= j < n:
            dx = points[j, 0] - points[i, 0]
            if dx * dx >= best:
                break
            dy = points[j, 1] - points[i, 1]
            d = dx * dx + dy * dy
            if d < best:
                best = d
                nearest[i] = j
            j += direction
    total += best**0.5
print(total / n, nearest[:10].tolist(), len(set(nearest.tolist())))
