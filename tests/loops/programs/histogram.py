"""A histogram, its cumulative sums, and an equalised image."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 800
rng = np.random.default_rng(21)
image = np.clip(rng.normal(100, 30, (n, n)), 0, 255).astype(np.uint8)
counts = np.zeros(256, dtype=np.int64)
for row in image:
    for pixel in row:
        counts[pixel] += 1
cumulative = np.zeros(256)
running = 0
for level in range(256):
    running += counts[level]
    cumulative[level] = running / (n * n)
equal = np.zeros_like(image)
for i in range(n):
    for j in range(n):
        equal[i, j] = int(cumulative[image[i, j]] * 255)
print(counts.max(), equal.mean(), equal.std())
