"""Heap sort of an array, with a function that sifts down."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 40000
rng = np.random.default_rng(12)
a = rng.random(n)


def sift(a, root, end):
    while 2 * root + 1 < end:
        child = 2 * root + 1
        if child + 1 < end and a[child] < a[child + 1]:
            child += 1
        if a[root] >= a[child]:
            return
        a[root], a[child] = a[child], a[root]
        root = child


for root in range(n // 2 - 1, -1, -1):
    sift(a, root, n)
for end in range(n - 1, 0, -1):
    a[0], a[end] = a[end], a[0]
    sift(a, 0, end)
print(np.all(a[:-1] <= a[1:]), a[0], a[n // 2], a[-1])
