"""Breadth-first search of a grid with walls: a set of cells, and distances in a dictionary."""

import sys
from collections import deque

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 500
walls = set()
for i in range(n):
    for j in range(n):
        if (i * 31 + j * 17 + i * j) % 7 < 2:
            walls.add((i, j))
walls.discard((0, 0))
dist = {(0, 0): 0}
queue = deque([(0, 0)])
while queue:
    x, y = queue.popleft()
    steps = dist[(x, y)]
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        at = (x + dx, y + dy)
        if 0 <= at[0] < n and 0 <= at[1] < n and at not in walls and at not in dist:
            dist[at] = steps + 1
            queue.append(at)
print(len(walls), len(dist), max(dist.values()), np.mean(list(dist.values())))
