"""Pi by points of a linear congruential generator."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 800000
seed = 42
inside = 0
batches = np.zeros(10)
for k in range(10):
    hits = 0
    for _ in range(n // 10):
        seed = (seed * 1664525 + 1013904223) % 4294967296
        x = seed / 4294967296
        seed = (seed * 1664525 + 1013904223) % 4294967296
        y = seed / 4294967296
        if x * x + y * y <= 1.0:
            hits += 1
    batches[k] = 4 * hits / (n // 10)
    inside += hits
print(4 * inside / n, batches.std().round(12))
