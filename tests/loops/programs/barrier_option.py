"""The price of an option with a barrier, from random paths of normal steps."""

import sys

import numpy as np

paths = int(sys.argv[1]) if len(sys.argv) > 1 else 6000
np.random.seed(0)
start, strike, rate, sigma, steps = 100.0, 105.0, 0.05, 0.2, 50
dt = 1.0 / steps
payoffs = []
for _ in range(paths):
    price = low = start
    for _ in range(steps):
        noise = sigma * np.sqrt(dt) * np.random.randn()
        price *= np.exp((rate - 0.5 * sigma**2) * dt + noise)
        low = min(low, price)
    payoffs.append(max(price - strike, 0.0) if low > 80 else 0.0)
print(round(float(np.exp(-rate) * np.mean(payoffs)), 8))
