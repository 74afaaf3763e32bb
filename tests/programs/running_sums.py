"""Scans: cumulative sums, products, maxima, and what is built on them."""

import numpy as np

x = np.arange(1, 13)
m = x.reshape(3, 4)
print(np.cumsum(m), np.cumsum(m, axis=0), m.cumsum(axis=1))
print(np.cumprod(x), np.cumprod(m.astype(float), axis=1))
print(np.maximum.accumulate([3, 1, 4, 1, 5, 9, 2, 6]), np.add.reduceat(x, [0, 3, 7]))
window = 4
c = np.cumsum(np.insert(x.astype(float), 0, 0))
moving = (c[window:] - c[:-window]) / window
print(moving, np.convolve(x, np.ones(window) / window, "valid"))
balance = np.cumsum(np.where(x % 3 == 0, -x, x))
print(
    balance, balance.dtype, np.cumsum(np.array([200, 100], dtype=np.uint8)), np.cumsum([True, True])
)
print(np.nancumsum([1, np.nan, 2]), np.diff(m, axis=0), np.diff(x**2, n=2))
print(np.logical_and.accumulate(x < 5), np.subtract.accumulate(x[:5]))
