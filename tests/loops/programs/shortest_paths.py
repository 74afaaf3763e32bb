"""Dijkstra's shortest paths over a grid of costs, with heapq."""

import heapq
import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 250
costs = np.random.default_rng(2).integers(1, 10, (n, n))


def shortest(costs):
    rows, columns = costs.shape
    found = np.full((rows, columns), np.inf)
    found[0, 0] = costs[0, 0]
    heap = [(float(costs[0, 0]), 0, 0)]
    while heap:
        length, i, j = heapq.heappop(heap)
        if length > found[i, j]:
            continue
        for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            a, b = i + di, j + dj
            if 0 <= a < rows and 0 <= b < columns:
                other = length + costs[a, b]
                if other < found[a, b]:
                    found[a, b] = other
                    heapq.heappush(heap, (float(other), a, b))
    return found


found = shortest(costs)
print(found[-1, -1], found.sum())
