"""The sieve of Eratosthenes and some number theory on its result."""

import numpy as np

n = 2000
prime = np.ones(n, dtype=bool)
prime[:2] = False
for k in range(2, int(n**0.5) + 1):
    if prime[k]:
        prime[k * k :: k] = False
primes = np.flatnonzero(prime)
gaps = np.diff(primes)
print(len(primes), primes[:10], primes[-1])
print(gaps.max(), primes[gaps.argmax()], np.unique(gaps))
twins = primes[:-1][gaps == 2]
print(twins[-5:], np.count_nonzero(gaps == 2))
print(np.cumsum(primes)[::50])
