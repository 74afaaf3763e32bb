"""Conway's game of life on a small torus, by rolled arrays."""

import sys

import numpy as np

TURNS = int(sys.argv[1]) if len(sys.argv) > 1 else 20

world = np.zeros((48, 64), dtype=np.int8)
alive = [(1, 5), (2, 6), (3, 4), (3, 5), (3, 6), (20, 30), (20, 31), (20, 32), (21, 33), (22, 30)]
for row, column in alive:
    world[row, column] = 1
for _ in range(TURNS):
    neighbours = sum(
        np.roll(np.roll(world, down, 0), right, 1)
        for down in (-1, 0, 1)
        for right in (-1, 0, 1)
        if (down, right) != (0, 0)
    )
    world = ((neighbours == 3) | ((world == 1) & (neighbours == 2))).astype(np.int8)
print(int(world.sum()), np.argwhere(world)[:3].tolist())
