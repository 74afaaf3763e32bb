"""All shortest paths of a graph, by three loops."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 110
rng = np.random.default_rng(2)
INF = float("inf")
dist = np.full((n, n), INF)
for i in range(n):
    dist[i, i] = 0.0
    for _ in range(4):
        dist[i, rng.integers(n)] = rng.integers(1, 100)
for k in range(n):
    for i in range(n):
        for j in range(n):
            through = dist[i, k] + dist[k, j]
            if through < dist[i, j]:
                dist[i, j] = through
reached = dist[dist < INF]
print(len(reached), reached.max(), reached.sum())
