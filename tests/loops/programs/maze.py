"""Ways through a maze by breadth-first search, with a deque."""

import sys
from collections import deque

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 500
rng = np.random.default_rng(3)
walls = rng.random((n, n)) < 0.3
walls[0, 0] = walls[-1, -1] = False


def distances(walls):
    rows, columns = walls.shape
    found = -np.ones((rows, columns), dtype=int)
    found[0, 0] = 0
    queue = deque([(0, 0)])
    while queue:
        x, y = queue.popleft()
        for dx, dy in [(1, 0), (-1, 0), (0, 1), (0, -1)]:
            a, b = x + dx, y + dy
            if a < 0 or b < 0 or a >= rows or b >= columns:
                continue
            if not walls[a, b] and found[a, b] < 0:
                found[a, b] = found[x, y] + 1
                queue.append((a, b))
    return found


found = distances(walls)
print(found.max(), (found >= 0).sum(), found.sum())
