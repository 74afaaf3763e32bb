"""The best alignment of two sequences of letters, by Needleman and Wunsch."""

import random
import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 800
random.seed(1)
one = "".join(random.choice("ACGT") for _ in range(n))
other = "".join(random.choice("ACGT") for _ in range(n - n // 20))


def score(a, b, match=1, mismatch=-1, gap=-2):
    best = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    best[:, 0] = gap * np.arange(len(a) + 1)
    best[0, :] = gap * np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            same = match if a[i - 1] == b[j - 1] else mismatch
            best[i, j] = max(best[i - 1, j - 1] + same, best[i - 1, j] + gap, best[i, j - 1] + gap)
    return best[-1, -1]


print(score(one, other), one.count("A"))
