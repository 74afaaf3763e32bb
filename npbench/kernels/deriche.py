"""Deriche's recursive smoothing filter, applied along the rows and then along the columns.

PolyBench `deriche` with the constants of the NPBench variant. Each axis takes a causal and an
anti-causal pass of second order; a pass handles all lines of the image at once.
"""

import numpy as np

PRESETS = {
    "test": {"W": 9, "H": 7},
    "S": {"W": 400, "H": 200},
    "M": {"W": 1500, "H": 1000},
    "L": {"W": 6000, "H": 3000},
    "paper": {"W": 7680, "H": 4320},
}
MUTATES = ()


def initialize(W, H):
    i, j = np.indices((W, H), dtype=np.float64)
    return {"alpha": np.float64(0.25), "imgIn": ((313 * i + 991 * j) % 65536) / 65535.0}


def causal(x, y, a1, a2, b1, b2):
    y[:, 0] = a1 * x[:, 0]
    y[:, 1] = a1 * x[:, 1] + a2 * x[:, 0] + b1 * y[:, 0]
    for j in range(2, x.shape[1]):
        y[:, j] = a1 * x[:, j] + a2 * x[:, j - 1] + b1 * y[:, j - 1] + b2 * y[:, j - 2]


def anticausal(x, y, a3, a4, b1, b2):
    y[:, -1] = 0.0
    y[:, -2] = a3 * x[:, -1]
    for j in range(x.shape[1] - 3, -1, -1):
        y[:, j] = a3 * x[:, j + 1] + a4 * x[:, j + 2] + b1 * y[:, j + 1] + b2 * y[:, j + 2]


def kernel(alpha, imgIn):
    decay = np.exp(-alpha)
    k = (1.0 - decay) * (1.0 - decay) / (1.0 + alpha * decay - np.exp(2.0 * alpha))
    a1 = k
    a2 = k * decay * (alpha - 1.0)
    a3 = k * decay * (alpha + 1.0)
    a4 = -k * np.exp(-2.0 * alpha)
    b1 = 2.0 ** (-alpha)
    b2 = -np.exp(-2.0 * alpha)
    c1 = c2 = 1

    y1 = np.empty_like(imgIn)
    y2 = np.empty_like(imgIn)
    causal(imgIn, y1, a1, a2, b1, b2)
    anticausal(imgIn, y2, a3, a4, b1, b2)
    imgOut = c1 * (y1 + y2)
    causal(imgOut.T, y1.T, a1, a2, b1, b2)
    anticausal(imgOut.T, y2.T, a3, a4, b1, b2)
    imgOut[:] = c2 * (y1 + y2)
    return imgOut
