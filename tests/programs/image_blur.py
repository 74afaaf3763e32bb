"""Blurs of a picture by padding, by rolling and by a separable kernel; edges and a threshold."""

import numpy as np

h, w = 20, 28
yy, xx = np.meshgrid(np.arange(h), np.arange(w), indexing="ij")
image = ((yy // 4 + xx // 4) % 2 * 200 + 20).astype(np.uint8)
padded = np.pad(image.astype(np.float64), 1, mode="edge")
blurred = np.zeros((h, w))
for dy in range(3):
    for dx in range(3):
        blurred += padded[dy : dy + h, dx : dx + w]
blurred /= 9
rolled = sum(np.roll(image.astype(int), s, axis=1) for s in (-1, 0, 1)) // 3
kernel = np.array([1.0, 2, 1]) / 4
separable = np.apply_along_axis(lambda r: np.convolve(r, kernel, "same"), 1, image)
gx = padded[1:-1, 2:] - padded[1:-1, :-2]
edges = np.abs(gx) > 100
out = np.clip(blurred * 1.2, 0, 255).astype(np.uint8)
out[edges] = 255
print(out[:3], rolled[5, :8], separable[3, :6], edges.sum(), out.mean().round(6))
print(np.flip(image, 0)[0, :6], np.rot90(image).shape, image[::-4, ::-7])
