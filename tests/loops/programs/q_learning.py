"""A walker that learns the way to a corner of a grid (Q-learning)."""

import sys

import numpy as np

episodes = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
rng = np.random.default_rng(3)
size, goal = 8, (7, 7)
values = np.zeros((size, size, 4))
moves = [(0, 1), (0, -1), (1, 0), (-1, 0)]
total = 0
for _ in range(episodes):
    x, y, steps = 0, 0, 0
    while (x, y) != goal and steps < 200:
        a = int(rng.integers(4)) if rng.random() < 0.1 else int(np.argmax(values[x, y]))
        dx, dy = moves[a]
        nx, ny = min(max(x + dx, 0), size - 1), min(max(y + dy, 0), size - 1)
        reward = 1.0 if (nx, ny) == goal else -0.01
        values[x, y, a] += 0.2 * (reward + 0.95 * values[nx, ny].max() - values[x, y, a])
        x, y = nx, ny
        steps += 1
    total += steps
print(total, values.sum().round(6))
