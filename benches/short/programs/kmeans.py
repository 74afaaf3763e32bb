"""Lloyd's algorithm on points of the plane."""

import sys

import numpy as np

POINTS = int(sys.argv[1]) if len(sys.argv) > 1 else 2000

rng = np.random.RandomState(5)
truth = rng.uniform(-10, 10, (6, 2))
points = truth[rng.randint(0, 6, POINTS)] + rng.normal(0, 1.0, (POINTS, 2))
centres = points[:6].copy()
turns = 0
while turns < 50:
    turns += 1
    distances = np.linalg.norm(points[:, None, :] - centres[None, :, :], axis=2)
    label = np.argmin(distances, axis=1)
    groups = [points[label == i] for i in range(6)]
    new = np.array([g.mean(axis=0) if len(g) else centres[i] for i, g in enumerate(groups)])
    if np.allclose(new, centres):
        break
    centres = new
print(turns, np.round(centres.sum(axis=0), 6), np.bincount(label))
