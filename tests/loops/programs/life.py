"""Conway's Game of Life on a torus, counting neighbours by loops."""

import sys

import numpy as np

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 22
n = 80
rng = np.random.default_rng(4)
grid = (rng.random((n, n)) < 0.3).astype(np.int64)


def neighbours(grid, i, j):
    count = 0
    for di in (-1, 0, 1):
        for dj in (-1, 0, 1):
            if di != 0 or dj != 0:
                count += grid[(i + di) % n, (j + dj) % n]
    return count


for step in range(steps):
    new = np.zeros_like(grid)
    for i in range(n):
        for j in range(n):
            c = neighbours(grid, i, j)
            if (grid[i, j] == 1 and (c == 2 or c == 3)) or (grid[i, j] == 0 and c == 3):
                new[i, j] = 1
    grid = new
    if step % 4 == 0:
        print(step, grid.sum())
print(grid.sum(), grid[:5, :5].tolist())
