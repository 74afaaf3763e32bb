"""The largest number of base pairs in a folded RNA, by dynamic programming (PolyBench `nussinov`).

A Python loop over the elements of an int32 table; bases are 0 to 3, and two pair if they add to 3.
"""

import numpy as np

PRESETS = {
    "test": {"N": 10},
    "S": {"N": 40},
    "M": {"N": 90},
    "L": {"N": 200},
    "paper": {"N": 500},
}
MUTATES = ()


def initialize(N):
    return {"seq": (np.arange(N, dtype=np.int32) + 1) % 4}


def match(a, b):
    if a + b == 3:
        return 1
    else:
        return 0


def kernel(N, seq):
    table = np.zeros((N, N), np.int32)
    for i in range(N - 1, -1, -1):
        for j in range(i + 1, N):
            if j - 1 >= 0:
                table[i, j] = max(table[i, j], table[i, j - 1])
            if i + 1 < N:
                table[i, j] = max(table[i, j], table[i + 1, j])
            if j - 1 >= 0 and i + 1 < N:
                if i < j - 1:
                    pair = match(seq[i], seq[j])
                    table[i, j] = max(table[i, j], table[i + 1, j - 1] + pair)
                else:
                    table[i, j] = max(table[i, j], table[i + 1, j - 1])
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table
