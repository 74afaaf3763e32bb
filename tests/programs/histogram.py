"""Histograms by four routes that must agree."""

import numpy as np

rng = np.random.default_rng(7)
x = rng.normal(size=1000)
edges = np.linspace(-3, 3, 13)
counts, _ = np.histogram(x, bins=edges)
place = np.searchsorted(edges, x, side="right") - 1
inside = (place >= 0) & (place < 12)
by_count = np.bincount(place[inside], minlength=12)
by_add = np.zeros(12, dtype=int)
np.add.at(by_add, place[inside], 1)
by_mask = np.array([((x >= lo) & (x < hi)).sum() for lo, hi in zip(edges[:-1], edges[1:])])
print(counts)
print(
    np.array_equal(by_count, by_add),
    np.array_equal(by_add, by_mask),
    np.array_equal(counts, by_mask),
)
print(
    np.digitize([0.1, -2.9], edges), np.percentile(x, [25, 50, 75]).round(6), np.median(x).round(6)
)
