"""The game of life with sums of slices, in place, on 256 by 256 cells."""

import sys

import numpy as np

TURNS = int(sys.argv[1]) if len(sys.argv) > 1 else 30

rng = np.random.default_rng(3)
cells = (rng.random((256, 256)) < 0.3).astype(np.uint8)
for _ in range(TURNS):
    n = (
        cells[:-2, :-2]
        + cells[:-2, 1:-1]
        + cells[:-2, 2:]
        + cells[1:-1, :-2]
        + cells[1:-1, 2:]
        + cells[2:, :-2]
        + cells[2:, 1:-1]
        + cells[2:, 2:]
    )
    born = (n == 3) & (cells[1:-1, 1:-1] == 0)
    stays = ((n == 2) | (n == 3)) & (cells[1:-1, 1:-1] == 1)
    cells[...] = 0
    cells[1:-1, 1:-1][born | stays] = 1
print(int(cells.sum()))
