"""A tour through cities by simulated annealing: parts of the tour are turned round."""

import math
import random
import sys

import numpy as np

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 300_000
random.seed(12)
n = 60
places = [(random.uniform(0, 100), random.uniform(0, 100)) for _ in range(n)]
d = np.zeros((n, n))
for i in range(n):
    for j in range(n):
        d[i, j] = math.sqrt((places[i][0] - places[j][0]) ** 2 + (places[i][1] - places[j][1]) ** 2)


def change(tour, i, j):
    a, b = tour[i - 1], tour[i]
    c, e = tour[j], tour[(j + 1) % n]
    return d[a, c] + d[b, e] - d[a, b] - d[c, e]


def anneal(tour, temperature):
    length = sum(d[tour[i - 1], tour[i]] for i in range(n))
    accepted = 0
    for _ in range(steps):
        i = random.randint(1, n - 2)
        j = random.randint(i + 1, n - 1)
        delta = change(tour, i, j)
        if delta < 0 or random.random() < math.exp(-delta / temperature):
            tour[i : j + 1] = reversed(tour[i : j + 1])
            length += delta
            accepted += 1
        temperature *= 0.99995
    return length, accepted


tour = list(range(n))
length, accepted = anneal(tour, 100.0)
print(f"{length:.6f} {accepted}")
print(sorted(tour) == list(range(n)), tour[:5])
