"""Bubble, insertion and selection sort of lists."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 1800
rng = np.random.default_rng(26)
numbers = rng.integers(0, 10**6, n).tolist()


def bubble(a):
    swaps = 0
    for i in range(len(a)):
        changed = False
        for j in range(len(a) - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
                swaps += 1
                changed = True
        if not changed:
            break
    return swaps


def insertion(a):
    moves = 0
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
            moves += 1
        a[j + 1] = key
    return moves


a, b = numbers[:], numbers[:]
print(bubble(a), insertion(b), a == b == sorted(numbers), a[:5])
