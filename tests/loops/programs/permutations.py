"""All permutations by Heap's method, and their inversions, over a list."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 8
items = list(range(n))
counters = [0] * n
histogram = np.zeros(n * n, dtype=int)
i = 0
total = 0
while True:
    inversions = 0
    for a in range(n):
        for b in range(a + 1, n):
            if items[a] > items[b]:
                inversions += 1
    histogram[inversions] += 1
    total += 1
    while i < n and counters[i] >= i:
        counters[i] = 0
        i += 1
    if i >= n:
        break
    if i % 2 == 0:
        items[0], items[i] = items[i], items[0]
    else:
        items[counters[i]], items[i] = items[i], items[counters[i]]
    counters[i] += 1
    i = 0
print(total, histogram[: n * (n - 1) // 2 + 1].tolist())
