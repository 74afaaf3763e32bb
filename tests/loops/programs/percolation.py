"""Percolation: sites of a square are opened until its top is joined to its bottom."""

import sys

import numpy as np


class Sets:
    def __init__(self, n):
        self.parent = list(range(n))
        self.size = [1] * n
        self.count = n

    def find(self, p):
        while p != self.parent[p]:
            self.parent[p] = self.parent[self.parent[p]]
            p = self.parent[p]
        return p

    def union(self, p, q):
        a, b = self.find(p), self.find(q)
        if a == b:
            return
        if self.size[a] < self.size[b]:
            a, b = b, a
        self.parent[b] = a
        self.size[a] += self.size[b]
        self.count -= 1


class Square:
    def __init__(self, n):
        self.n, self.opened = n, 0
        self.is_open = np.zeros((n, n), dtype=bool)
        self.sets = Sets(n * n + 2)

    def index(self, row, column):
        return row * self.n + column

    def open(self, row, column):
        self.is_open[row, column] = True
        self.opened += 1
        here = self.index(row, column)
        if row == 0:
            self.sets.union(here, self.n * self.n)
        if row == self.n - 1:
            self.sets.union(here, self.n * self.n + 1)
        for dr, dc in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            r, c = row + dr, column + dc
            if 0 <= r < self.n and 0 <= c < self.n and self.is_open[r, c]:
                self.sets.union(here, self.index(r, c))

    def percolates(self):
        return self.sets.find(self.n * self.n) == self.sets.find(self.n * self.n + 1)


def trial(n, rng):
    square = Square(n)
    for site in rng.permutation(n * n):
        square.open(int(site) // n, int(site) % n)
        if square.percolates():
            break
    return square.opened / (n * n), max(square.sets.size), square.sets.count


trials = int(sys.argv[1]) if len(sys.argv) > 1 else 700
rng = np.random.default_rng(99)
found = [trial(24, rng) for _ in range(trials)]
shares = [share for share, _, _ in found]
print(f"{sum(shares) / trials:.6f}", max(size for _, size, _ in found))
print(sum(count for _, _, count in found))
