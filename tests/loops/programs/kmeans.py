"""k-means in the plane, by loops over points and centres."""

import sys

import numpy as np

rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
rng = np.random.default_rng(23)
n, k = 3000, 5
points = rng.normal(size=(n, 2)) + rng.integers(0, 3, (n, 1)) * 4
centers = points[:k].copy()
labels = np.zeros(n, dtype=int)
for _ in range(rounds):
    for i in range(n):
        best, best_d = -1, 1e300
        for c in range(k):
            d = 0.0
            for axis in range(2):
                d += (points[i, axis] - centers[c, axis]) ** 2
            if d < best_d:
                best, best_d = c, d
        labels[i] = best
    sums = np.zeros((k, 2))
    counts = np.zeros(k)
    for i in range(n):
        sums[labels[i]] += points[i]
        counts[labels[i]] += 1
    for c in range(k):
        if counts[c] > 0:
            centers[c] = sums[c] / counts[c]
print(counts, centers.round(10).tolist())
