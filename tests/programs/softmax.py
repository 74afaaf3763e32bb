"""Softmax, cross entropy and its gradient for a small batch."""

import numpy as np

x = np.sin(np.arange(60.0)).reshape(6, 10).astype(np.float32) * 5
shifted = x - np.max(x, axis=-1, keepdims=True)
e = np.exp(shifted)
p = e / np.sum(e, axis=-1, keepdims=True)
target = np.arange(6) % 10
loss = -np.log(p[np.arange(6), target]).mean()
gradient = p.copy()
gradient[np.arange(6), target] -= 1
gradient /= 6
print(p.dtype, loss.dtype, gradient.dtype, type(loss).__name__)
print(np.round(p, 4))
print(f"{loss:.4f}", np.allclose(gradient.sum(axis=1), 0, atol=1e-6))
