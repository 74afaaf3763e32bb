"""Filters of an image: blur, edges, a threshold by Otsu's rule, equalised grey, and erosion."""

import sys

import numpy as np

SIDE = int(sys.argv[1]) if len(sys.argv) > 1 else 200

y, x = np.mgrid[0:SIDE, 0:SIDE]
image = 128 + 80 * np.sin(x / 15) * np.cos(y / 22) + 30 * ((x - 90) ** 2 + (y - 80) ** 2 < 2000)
image = np.clip(image + np.random.default_rng(6).normal(0, 8, image.shape), 0, 255).astype(np.uint8)
kernel = np.exp(-(np.arange(-4, 5) ** 2) / 6.0)
kernel /= kernel.sum()
padded = np.pad(image.astype(float), 4, mode="edge")
across = sum(w * padded[:, i : i + SIDE] for i, w in enumerate(kernel))
blurred = sum(w * across[i : i + SIDE] for i, w in enumerate(kernel))
gy, gx = np.gradient(blurred)
edges = np.hypot(gx, gy)
histogram = np.bincount(image.ravel(), minlength=256)
share = histogram / image.size
levels = np.arange(256)
weight = np.cumsum(share)
mean = np.cumsum(share * levels)
with np.errstate(divide="ignore", invalid="ignore"):
    between = (mean[-1] * weight - mean) ** 2 / (weight * (1 - weight))
threshold = int(np.nanargmax(between))
mask = blurred > threshold
eroded = mask.copy()
for axis in (0, 1):
    for step in (-1, 1):
        eroded &= np.roll(mask, step, axis)
equalised = np.floor(255 * weight[image]).astype(np.uint8)
print(threshold, int(mask.sum()), int(eroded.sum()), f"{edges.mean():.5f}", int(equalised.sum()))
