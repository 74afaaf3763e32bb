"""The Ising model by Metropolis' rule, with random.random."""

import math
import random
import sys

import numpy as np

sweeps = int(sys.argv[1]) if len(sys.argv) > 1 else 60
n = 50
random.seed(7)
spins = np.ones((n, n), dtype=np.int8)
beta = 0.42
boltzmann = [math.exp(-beta * d) for d in range(9)]
for sweep in range(sweeps):
    for i in range(n):
        for j in range(n):
            around = (
                int(spins[(i + 1) % n, j])
                + int(spins[i - 1, j])
                + int(spins[i, (j + 1) % n])
                + int(spins[i, j - 1])
            )
            change = 2 * int(spins[i, j]) * around
            if change <= 0 or random.random() < boltzmann[change]:
                spins[i, j] = -spins[i, j]
print(spins.sum(), abs(spins.mean()))
