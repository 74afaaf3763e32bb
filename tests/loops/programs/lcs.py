"""The longest common subsequence, by a table in an array, and one such sequence."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 900
rng = np.random.default_rng(1)
a = rng.integers(0, 4, n)
b = rng.integers(0, 4, n)
table = np.zeros((n + 1, n + 1), dtype=int)
for i in range(1, n + 1):
    for j in range(1, n + 1):
        if a[i - 1] == b[j - 1]:
            table[i, j] = table[i - 1, j - 1] + 1
        else:
            table[i, j] = max(table[i - 1, j], table[i, j - 1])
i = j = n
common = []
while i > 0 and j > 0:
    if a[i - 1] == b[j - 1]:
        common.append(int(a[i - 1]))
        i -= 1
        j -= 1
    elif table[i - 1, j] >= table[i, j - 1]:
        i -= 1
    else:
        j -= 1
print(table[n, n], len(common), common[:10])
