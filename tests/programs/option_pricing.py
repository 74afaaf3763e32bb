"""A binomial tree and a Monte Carlo estimate of an option, with shrinking views."""

import numpy as np

S, K, T, r, vol, n = 100.0, 105.0, 1.0, 0.03, 0.2, 200
dt = T / n
up = np.exp(vol * np.sqrt(dt))
p = (np.exp(r * dt) - 1 / up) / (up - 1 / up)
price = S * up ** np.arange(-n, n + 1, 2)
value = np.maximum(price - K, 0)
for _ in range(n):
    value = np.exp(-r * dt) * (p * value[1:] + (1 - p) * value[:-1])
print(f"{value[0]:.6f}", value.shape)
rng = np.random.default_rng(5)
z = rng.standard_normal(20_000)
final = S * np.exp((r - vol**2 / 2) * T + vol * np.sqrt(T) * z)
payoff = np.exp(-r * T) * np.where(final > K, final - K, 0.0)
print(f"{payoff.mean():.6f} {payoff.std(ddof=1) / np.sqrt(len(payoff)):.6f} {(payoff > 0).sum()}")
