"""A random walk in the plane with steps drawn by numpy.random, counted by cells."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 300000
rng = np.random.default_rng(17)
moves = rng.integers(0, 4, n)
visits = np.zeros((101, 101), dtype=np.int32)
x = y = 50
farthest = 0
for k in range(n):
    move = moves[k]
    if move == 0:
        x += 1
    elif move == 1:
        x -= 1
    elif move == 2:
        y += 1
    else:
        y -= 1
    if x < 0 or x > 100 or y < 0 or y > 100:
        x = y = 50
    visits[x, y] += 1
    farthest = max(farthest, abs(x - 50) + abs(y - 50))
print(farthest, visits.max(), (visits == 0).sum())
