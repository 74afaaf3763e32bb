"""A convolution of two axes with a kernel, by four loops."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 200
rng = np.random.default_rng(25)
image = rng.random((n, n))
kernel = rng.random((5, 5))
kernel /= kernel.sum()


def convolve(image, kernel):
    h, w = image.shape
    kh, kw = kernel.shape
    out = np.zeros((h - kh + 1, w - kw + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            acc = 0.0
            for p in range(kh):
                for q in range(kw):
                    acc += image[i + p, j + q] * kernel[kh - 1 - p, kw - 1 - q]
            out[i, j] = acc
    return out


result = convolve(image, kernel)
print(result.shape, result.mean().round(12), result[0, 0].round(12))
