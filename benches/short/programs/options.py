"""Prices of options by Black and Scholes' formula and by simulated paths."""

import sys

import numpy as np

PATHS = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000


def normal_cdf(x):
    t = 1 / (1 + 0.2316419 * np.abs(x))
    series = -1.821255978 + t * 1.330274429
    for coefficient in (1.781477937, -0.356563782, 0.31938153):
        series = coefficient + t * series
    series = t * series
    tail = np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi) * series
    return np.where(x >= 0, 1 - tail, tail)


strikes = np.linspace(80, 120, 200)
spot, rate, sigma, years = 100.0, 0.03, 0.2, 1.0
d1 = (np.log(spot / strikes) + (rate + 0.5 * sigma**2) * years) / (sigma * np.sqrt(years))
d2 = d1 - sigma * np.sqrt(years)
call = spot * normal_cdf(d1) - strikes * np.exp(-rate * years) * normal_cdf(d2)
rng = np.random.default_rng(11)
steps = 12
drift = (rate - 0.5 * sigma**2) * years / steps
paths = np.full(PATHS, spot)
total = np.zeros(PATHS)
for _ in range(steps):
    shock = rng.standard_normal(PATHS)
    paths = paths * np.exp(drift + sigma * np.sqrt(years / steps) * shock)
    total += paths
asian = np.exp(-rate * years) * np.mean(np.maximum(total / steps - 100, 0))
european = np.exp(-rate * years) * np.mean(np.maximum(paths - 100, 0))
print(f"{call[100]:.5f} {call.sum():.4f} {european:.4f} {asian:.4f}")
