"""The game of life on the set of living cells, which has no edges."""

import sys

import numpy as np

generations = int(sys.argv[1]) if len(sys.argv) > 1 else 2000


def step(cells):
    counts = {}
    for x, y in cells:
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                if dx != 0 or dy != 0:
                    key = (x + dx, y + dy)
                    counts[key] = counts.get(key, 0) + 1
    living = set()
    for cell, count in counts.items():
        if count == 3 or (count == 2 and cell in cells):
            living.add(cell)
    return living


cells = {(0, 1), (1, 3), (2, 0), (2, 1), (2, 4), (2, 5), (2, 6)}
for _ in range(generations):
    cells = step(cells)
print(len(cells), list(cells)[:5], np.mean([x for x, _ in cells]))
