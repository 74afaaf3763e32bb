"""Ranks of pages by the power method, and a few steps of Gram and Schmidt."""

import sys

import numpy as np

PAGES = int(sys.argv[1]) if len(sys.argv) > 1 else 300

rng = np.random.default_rng(4)
links = (rng.random((PAGES, PAGES)) < 0.03).astype(float)
out = links.sum(axis=0)
links[:, out == 0] = 1.0
links /= links.sum(axis=0)
rank = np.full(PAGES, 1 / PAGES)
turns = 0
while turns < 100:
    turns += 1
    new = 0.85 * links @ rank + 0.15 / PAGES
    if np.abs(new - rank).sum() < 1e-10:
        break
    rank = new
basis = []
for vector in rng.standard_normal((12, 40)):
    for other in basis:
        vector = vector - np.dot(vector, other) * other
    basis.append(vector / np.linalg.norm(vector))
basis = np.array(basis)
error = np.abs(basis @ basis.T - np.eye(12)).max()
print(turns, np.argsort(-rank)[:5], f"{rank.max():.8f} {error < 1e-12}")
