"""The Levenshtein distance of two sequences, with a table of lists."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 1300
seed = 12345


def letters(count):
    global seed
    found = []
    for _ in range(count):
        seed = (1103515245 * seed + 12345) % 2147483648
        found.append((seed >> 16) % 4)
    return found


def distance(a, b):
    previous = list(range(len(b) + 1))
    for i in range(1, len(a) + 1):
        current = [i] + [0] * len(b)
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            current[j] = min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + cost)
        previous = current
    return previous[-1]


a, b = letters(n), letters(n)
print(distance(a, b))
print(np.bincount(a))
