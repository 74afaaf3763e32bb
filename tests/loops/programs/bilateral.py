"""A bilateral filter, with np.exp of scalars."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 90
rng = np.random.default_rng(10)
image = rng.random((n, n))
out = np.zeros_like(image)
radius, sigma_s, sigma_r = 2, 2.0, 0.2
for i in range(n):
    for j in range(n):
        total = weight = 0.0
        for di in range(-radius, radius + 1):
            for dj in range(-radius, radius + 1):
                p, q = i + di, j + dj
                if p < 0 or p >= n or q < 0 or q >= n:
                    continue
                difference = image[p, q] - image[i, j]
                w = np.exp(
                    -(di * di + dj * dj) / (2 * sigma_s**2) - difference**2 / (2 * sigma_r**2)
                )
                total += w * image[p, q]
                weight += w
        out[i, j] = total / weight
print(out.mean().round(12), out.std().round(12), out[3, 3])
