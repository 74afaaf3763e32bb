"""Edges by Sobel's operator, with a clamp to bytes."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 420
rng = np.random.default_rng(9)
image = rng.integers(0, 256, (n, n)).astype(np.uint8)
edges = np.zeros((n, n), dtype=np.uint8)
for y in range(1, n - 1):
    for x in range(1, n - 1):
        gx = gy = 0
        for k in (-1, 0, 1):
            weight = 2 if k == 0 else 1
            gx += weight * (int(image[y + k, x + 1]) - int(image[y + k, x - 1]))
            gy += weight * (int(image[y + 1, x + k]) - int(image[y - 1, x + k]))
        magnitude = int((gx * gx + gy * gy) ** 0.5)
        edges[y, x] = min(magnitude, 255)
print(edges.mean(), edges.max(), edges[n // 2, :8].tolist())
