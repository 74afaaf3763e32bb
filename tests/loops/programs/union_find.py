"""Connected components by union–find with path halving, over a list."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 120000
parent = list(range(n))


def find(x):
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x


rng = np.random.default_rng(13)
edges = rng.integers(0, n, (n * 3 // 4, 2)).tolist()
components = n
for a, b in edges:
    ra, rb = find(a), find(b)
    if ra != rb:
        parent[ra] = rb
        components -= 1
print(components, sum(1 for i in range(n) if parent[i] == i))
