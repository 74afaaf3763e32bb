"""Quick sort of an array with a stack of its own, and insertion sort of short parts."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 60000
rng = np.random.default_rng(27)
a = rng.integers(0, 10**9, n)
stack = np.zeros(200, dtype=np.int64)
stack[0], stack[1], top = 0, n - 1, 2
while top > 0:
    top -= 2
    low, high = stack[top], stack[top + 1]
    while high - low > 12:
        pivot = a[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while a[i] < pivot:
                i += 1
            while a[j] > pivot:
                j -= 1
            if i <= j:
                a[i], a[j] = a[j], a[i]
                i += 1
                j -= 1
        stack[top], stack[top + 1] = i, high
        top += 2
        high = j
for i in range(1, n):
    value = a[i]
    j = i - 1
    while j >= 0 and a[j] > value:
        a[j + 1] = a[j]
        j -= 1
    a[j + 1] = value
print((a[1:] >= a[:-1]).all(), a[:3], a[-1])
