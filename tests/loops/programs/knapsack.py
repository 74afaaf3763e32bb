"""The 0/1 knapsack by dynamic programming over a table."""

import sys

import numpy as np

capacity = int(sys.argv[1]) if len(sys.argv) > 1 else 9000
rng = np.random.default_rng(5)
items = 60
weights = rng.integers(5, 90, items)
values = rng.integers(10, 500, items)
best = np.zeros((items + 1, capacity + 1), dtype=np.int64)
for i in range(1, items + 1):
    for w in range(capacity + 1):
        best[i, w] = best[i - 1, w]
        if weights[i - 1] <= w:
            candidate = best[i - 1, w - weights[i - 1]] + values[i - 1]
            if candidate > best[i, w]:
                best[i, w] = candidate
chosen = []
w = capacity
for i in range(items, 0, -1):
    if best[i, w] != best[i - 1, w]:
        chosen.append(i - 1)
        w -= weights[i - 1]
print(best[items, capacity], len(chosen), sum(chosen))
