"""The Ising model with a generator of its own, as a function of the state."""

import math
import sys

import numpy as np

sweeps = int(sys.argv[1]) if len(sys.argv) > 1 else 50
n = 48
beta = 0.44
spins = np.ones((n, n), dtype=np.int64)


def advance(state):
    return (state * 25214903917 + 11) & ((1 << 47) - 1) if state >= 0 else 1


def draw(state):
    return ((state >> 16) & 0x7FFFFFFF) / 2147483648.0


state = 1234
energy = np.zeros(sweeps)
for sweep in range(sweeps):
    accepted = 0
    for i in range(n):
        for j in range(n):
            s = spins[i, j]
            field = (
                spins[(i + 1) % n, j] + spins[i - 1, j] + spins[i, (j + 1) % n] + spins[i, j - 1]
            )
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            if 2 * s * field <= 0 or state / 2147483648.0 < math.exp(-2 * beta * s * field):
                spins[i, j] = -s
                accepted += 1
    energy[sweep] = accepted
print(spins.sum(), energy[-5:], energy.mean())
