"""The Ising model by Metropolis' rule, the black and the white sites of a chequerboard in turns."""

import sys

import numpy as np

SWEEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 100

rng = np.random.default_rng(7)
side, beta = 64, 0.6
spins = rng.choice([-1, 1], size=(side, side))
black = np.indices((side, side)).sum(axis=0) % 2 == 0
magnetisation = []
for _ in range(SWEEPS):
    for sites in (black, ~black):
        across = np.roll(spins, 1, 0) + np.roll(spins, -1, 0)
        around = across + np.roll(spins, 1, 1) + np.roll(spins, -1, 1)
        gain = 2 * spins * around
        flips = sites & (rng.random((side, side)) < np.exp(-beta * gain))
        spins = np.where(flips, -spins, spins)
    magnetisation.append(abs(spins.mean()))
energy = -np.mean(spins * (np.roll(spins, 1, 0) + np.roll(spins, 1, 1)))
print(f"{np.mean(magnetisation[-20:]):.6f} {energy:.6f}")
