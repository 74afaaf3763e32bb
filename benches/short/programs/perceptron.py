"""A small network with one hidden layer, trained by steps over batches."""

import sys

import numpy as np

EPOCHS = int(sys.argv[1]) if len(sys.argv) > 1 else 20

rng = np.random.default_rng(0)
inputs = rng.standard_normal((512, 10))
target = (np.sin(inputs[:, 0]) + inputs[:, 1] * inputs[:, 2])[:, None]
w1, b1 = rng.standard_normal((10, 32)) * 0.3, np.zeros(32)
w2, b2 = rng.standard_normal((32, 1)) * 0.3, np.zeros(1)
rate = 0.02
for _ in range(EPOCHS):
    order = rng.permutation(512)
    for start in range(0, 512, 64):
        batch = order[start : start + 64]
        x, t = inputs[batch], target[batch]
        hidden = np.tanh(x @ w1 + b1)
        out = hidden @ w2 + b2
        error = out - t
        back = error @ w2.T * (1 - hidden**2)
        w2 -= rate * hidden.T @ error / 64
        b2 -= rate * error.mean(axis=0)
        w1 -= rate * x.T @ back / 64
        b1 -= rate * back.mean(axis=0)
loss = np.mean((np.tanh(inputs @ w1 + b1) @ w2 + b2 - target) ** 2)
print(f"{loss:.6f}")
