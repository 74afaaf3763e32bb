"""Prime factors of many numbers by trial division, appended to a list."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
omega = np.zeros(n, dtype=int)
largest = 0
product_of_last = []
for i in range(n):
    m = 1000003 + i
    factors = []
    d = 2
    while d * d <= m:
        while m % d == 0:
            factors.append(d)
            m //= d
        d += 1 if d == 2 else 2
    if m > 1:
        factors.append(m)
    omega[i] = len(factors)
    largest = max(largest, factors[-1])
    product_of_last = factors
print(omega.sum(), omega.max(), largest, product_of_last)
