"""Primes by a list of truth values, and their gaps."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 2000000
is_prime = [True] * (n + 1)
is_prime[0] = is_prime[1] = False
i = 2
while i * i <= n:
    if is_prime[i]:
        for j in range(i * i, n + 1, i):
            is_prime[j] = False
    i += 1
count, last, widest = 0, 2, 0
gaps = np.zeros(200, dtype=int)
for k in range(2, n + 1):
    if is_prime[k]:
        count += 1
        gaps[k - last] += 1
        if k - last > widest:
            widest = k - last
        last = k
print(count, last, widest, gaps.argmax())
