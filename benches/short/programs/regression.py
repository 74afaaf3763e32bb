"""Logistic regression by gradient descent, and a line by least squares."""

import sys

import numpy as np

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 300

np.random.seed(8)
n, d = 1000, 8
features = np.random.randn(n, d)
weights = np.random.randn(d)
labels = (features @ weights + 0.5 * np.random.randn(n) > 0).astype(float)
w, b = np.zeros(d), 0.0
for _ in range(STEPS):
    p = 1 / (1 + np.exp(-(features @ w + b)))
    gradient = features.T @ (p - labels) / n
    w -= 0.5 * gradient
    b -= 0.5 * np.mean(p - labels)
loss = -np.mean(labels * np.log(p + 1e-12) + (1 - labels) * np.log(1 - p + 1e-12))
accuracy = np.mean((p > 0.5) == labels)
x = np.linspace(0, 1, 50)
slope, intercept = np.polyfit(x, 3 * x + 1 + 0.01 * np.sin(40 * x), 1)
print(f"{loss:.6f} {accuracy:.4f} {slope:.5f} {intercept:.5f}")
