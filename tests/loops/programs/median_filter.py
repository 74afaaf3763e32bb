"""A median filter of 3 by 3 pixels, sorting a list of each window."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 150
rng = np.random.default_rng(6)
image = rng.integers(0, 256, (n, n)).astype(np.float64)
result = image.copy()
window = np.zeros(9)
for i in range(1, n - 1):
    for j in range(1, n - 1):
        k = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                window[k] = image[i + di, j + dj]
                k += 1
        for a in range(1, 9):
            value = window[a]
            b = a - 1
            while b >= 0 and window[b] > value:
                window[b + 1] = window[b]
                b -= 1
            window[b + 1] = value
        result[i, j] = window[4]
print(image.std().round(9), result.std().round(9), result[n // 2, :4])
