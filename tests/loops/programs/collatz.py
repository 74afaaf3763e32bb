"""The longest Collatz chain below a number, with lengths kept."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 200000
lengths = np.zeros(n, dtype=np.int64)
lengths[1] = 1
best, at = 0, 0
for start in range(2, n):
    x, steps = start, 0
    while x >= n or lengths[x] == 0:
        x = x // 2 if x % 2 == 0 else 3 * x + 1
        steps += 1
    lengths[start] = lengths[x] + steps
    if lengths[start] > best:
        best, at = lengths[start], start
print(at, best, lengths.mean())
