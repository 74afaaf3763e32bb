"""Elementary cellular automata, by a table of the rule's bits."""

import sys

import numpy as np

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 1500
n = 500


def run(number):
    rule = [(number >> k) & 1 for k in range(8)]
    cells = [0] * n
    cells[n // 2] = 1
    total = 0
    for _ in range(steps):
        new = [0] * n
        for i in range(n):
            pattern = 4 * cells[i - 1] + 2 * cells[i] + cells[(i + 1) % n]
            new[i] = rule[pattern]
        cells = new
        total += sum(cells)
    return total, cells


for number in (30, 110):
    total, cells = run(number)
    print(number, total, np.array(cells)[:20])
