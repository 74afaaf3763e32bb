"""Powers of a sparse matrix times a vector, by the triple of arrays."""

import sys

import numpy as np

times = int(sys.argv[1]) if len(sys.argv) > 1 else 90
n = 1500
rng = np.random.default_rng(18)
rows = np.repeat(np.arange(n), 5)
cols = rng.integers(0, n, 5 * n)
vals = rng.random(5 * n)


def product(rows, cols, vals, x):
    y = np.zeros(len(x))
    for k in range(len(vals)):
        y[rows[k]] += vals[k] * x[cols[k]]
    return y


x = np.ones(n)
for _ in range(times):
    x = product(rows, cols, vals, x)
    x = x / np.sqrt(np.dot(x, x))
print(np.round(x[:4], 10), np.round(np.dot(x, product(rows, cols, vals, x)), 10))
