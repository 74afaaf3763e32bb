"""The number of partitions of numbers, by Euler's recurrence, remembered in a dictionary."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
modulus = 1000003
memo = {0: 1}
for total in range(1, n):
    found, k = 0, 1
    while True:
        for pentagonal in (k * (3 * k - 1) // 2, k * (3 * k + 1) // 2):
            if pentagonal <= total:
                if k % 2 == 1:
                    found += memo[total - pentagonal]
                else:
                    found -= memo[total - pentagonal]
        if k * (3 * k - 1) // 2 > total:
            break
        k += 1
    memo[total] = found % modulus
print(len(memo), memo[n - 1], sum(memo.values()) % modulus, np.median(list(memo.values())))
