"""Descriptions of a table: moments, quantiles, correlations, histograms, and a bootstrap."""

import sys

import numpy as np

ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 3000

rng = np.random.default_rng(12)
table = rng.standard_normal((ROWS, 5)) * [1, 2, 0.5, 3, 1] + [0, 1, 2, 3, 4]
table[:, 4] += 0.7 * table[:, 0]
mean, deviation = table.mean(axis=0), table.std(axis=0, ddof=1)
z = (table - mean) / deviation
skew, kurtosis = (z**3).mean(axis=0), (z**4).mean(axis=0) - 3
quartiles = np.percentile(table, [25, 50, 75], axis=0)
correlation = np.corrcoef(table, rowvar=False)
counts, edges = np.histogram(table[:, 3], bins=20)
outliers = np.abs(z) > 3
clean = table[~outliers.any(axis=1)]
means = np.empty(200)
for i in range(200):
    sample = rng.integers(0, ROWS, ROWS)
    means[i] = table[sample, 1].mean()
low, high = np.percentile(means, [2.5, 97.5])
values, number = np.unique(np.round(table[:, 2]).astype(int), return_counts=True)
print(np.round(mean, 4), np.round(deviation, 4), np.round(skew, 3), np.round(kurtosis, 3))
print(
    np.round(quartiles[1], 4),
    round(float(correlation[0, 4]), 5),
    counts.max(),
    len(clean),
    values,
    number,
)
print(f"{low:.5f} {high:.5f}")
