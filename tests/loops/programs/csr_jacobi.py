"""Jacobi's iteration with a sparse matrix in compressed rows."""

import sys

import numpy as np

sweeps = int(sys.argv[1]) if len(sys.argv) > 1 else 300
n = 600
rng = np.random.default_rng(16)
indptr, indices, data = [0], [], []
for i in range(n):
    for j in sorted(set(rng.integers(0, n, 4).tolist())):
        if j != i:
            indices.append(j)
            data.append(0.2)
    indptr.append(len(indices))
indptr, indices, data = np.array(indptr), np.array(indices), np.array(data)
b = rng.random(n)
x = np.zeros(n)
for sweep in range(sweeps):
    new = np.empty(n)
    for i in range(n):
        total = b[i]
        for k in range(indptr[i], indptr[i + 1]):
            total -= data[k] * x[indices[k]]
        new[i] = total
    change = np.abs(new - x).max()
    x = new
    if change < 1e-14:
        break
print(sweep, x.sum().round(9), x[:3])
