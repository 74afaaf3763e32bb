"""The sandpile of Bak, Tang and Wiesenfeld: cells that topple, by a stack of places."""

import sys

import numpy as np

grains = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
n = 61
grid = np.zeros((n, n), dtype=int)
grid[n // 2, n // 2] = grains
stack = [(n // 2, n // 2)]
topplings = 0
while stack:
    i, j = stack.pop()
    if grid[i, j] < 4:
        continue
    grid[i, j] -= 4
    topplings += 1
    if grid[i, j] >= 4:
        stack.append((i, j))
    for a, b in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
        if 0 <= a < n and 0 <= b < n:
            grid[a, b] += 1
            if grid[a, b] >= 4:
                stack.append((a, b))
print(topplings, np.bincount(grid.ravel()))
