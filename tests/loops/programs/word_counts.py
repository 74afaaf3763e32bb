"""Counts of words, which are numbers, and of pairs of neighbours: the most frequent ones."""

import sys
from collections import Counter, defaultdict

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 1000000
words, last = [], 1
for _ in range(n):
    last = (last * 1103515245 + 12345) % 2147483648
    words.append((last >> 16) % 997 * ((last >> 8) % 5))
counts, after = Counter(), defaultdict(int)
before = 0
for word in words:
    counts[word] += 1
    after[before % 50, word % 50] += 1
    before = word
best = max(counts.values())
print(len(counts), best, len(after), max(after.values()), np.std(list(after.values())).round(9))
print([word for word, count in counts.items() if count == best])
