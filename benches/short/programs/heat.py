"""Heat in a plate with fixed edges, until it changes little."""

import sys

import numpy as np

SIDE = int(sys.argv[1]) if len(sys.argv) > 1 else 100

plate = np.zeros((SIDE, SIDE))
plate[0, :], plate[:, 0] = 100.0, 50.0
step = 0
while step < 400:
    step += 1
    old = plate.copy()
    plate[1:-1, 1:-1] = 0.25 * (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])
    change = np.abs(plate - old).max()
    if change < 0.05:
        break
print(step, f"{plate.mean():.6f}")
