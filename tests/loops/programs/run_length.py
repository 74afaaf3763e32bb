"""Run-length codes of an array, and back."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 450000
rng = np.random.default_rng(22)
data = np.repeat(rng.integers(0, 3, n // 4), rng.integers(1, 9, n // 4))[:n]
values = np.zeros(n, dtype=data.dtype)
lengths = np.zeros(n, dtype=np.int64)
runs, i = 0, 0
while i < len(data):
    j = i
    while j < len(data) and data[j] == data[i]:
        j += 1
    values[runs] = data[i]
    lengths[runs] = j - i
    runs += 1
    i = j
back = np.zeros(len(data), dtype=data.dtype)
at = 0
for k in range(runs):
    for _ in range(lengths[k]):
        back[at] = values[k]
        at += 1
print(runs, lengths[:runs].max(), (back == data).all())
