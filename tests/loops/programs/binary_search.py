"""A search tree over arrays of children, and binary search in a sorted array."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 40000
rng = np.random.default_rng(11)
keys = rng.permutation(n)
left = np.full(n, -1)
right = np.full(n, -1)
depth = 0
for i in range(1, n):
    node, level = 0, 0
    while True:
        level += 1
        if keys[i] < keys[node]:
            if left[node] < 0:
                left[node] = i
                break
            node = left[node]
        else:
            if right[node] < 0:
                right[node] = i
                break
            node = right[node]
    depth = max(depth, level)
ordered = np.sort(keys)
found = 0
for key in range(0, 2 * n, 3):
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] < key:
            low = middle + 1
        else:
            high = middle
    if low < n and ordered[low] == key:
        found += 1
print(depth, found)
