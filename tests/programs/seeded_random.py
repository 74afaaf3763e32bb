"""Random streams are NumPy's, bit for bit."""

import numpy as np

rng = np.random.default_rng(42)
print(rng.random(3), rng.integers(0, 100, (2, 3)), rng.standard_normal(2), rng.permutation(6))
print(rng.choice([10, 20, 30], 4), rng.uniform(-1, 1, 2), rng.exponential(size=2), rng.bytes(3))
order = np.arange(8)
rng.shuffle(order)
print(order, rng.normal(5, 2, size=(2, 2)), rng.random(3, dtype=np.float32))
np.random.seed(7)
print(
    np.random.rand(2, 2), np.random.randn(2), np.random.randint(0, 9, 5), np.random.permutation(5)
)
state = np.random.RandomState(1)
print(state.uniform(size=2), state.choice(5, 2, replace=False))
x = np.random.default_rng(0).random(10_000)
inside = (x[:5000] ** 2 + x[5000:] ** 2 <= 1).sum()
print(inside, 4 * inside / 5000)
