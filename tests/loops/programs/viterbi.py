"""A hidden Markov model: a sequence is drawn, its likeliest states and its likelihood found."""

import math
import sys

import numpy as np

length = int(sys.argv[1]) if len(sys.argv) > 1 else 13_000
states, symbols = 6, 8
rng = np.random.RandomState(8)


def rows(n, m):
    table = rng.rand(n, m) ** 3
    return table / table.sum(axis=1).reshape(n, 1)


def draw(probabilities):
    u, total = rng.rand(), 0.0
    for i in range(len(probabilities)):
        total += probabilities[i]
        if u < total:
            return i
    return len(probabilities) - 1


def safe_log(x):
    return math.log(x) if x > 0 else -1e300


move, emit = rows(states, states), rows(states, symbols)
hidden, seen, s = [], [], 0
for t in range(length):
    hidden.append(s)
    seen.append(draw(emit[s]))
    s = draw(move[s])

log_move = [[safe_log(move[i, j]) for j in range(states)] for i in range(states)]
log_emit = [[safe_log(emit[i, k]) for k in range(symbols)] for i in range(states)]
score, back = np.zeros((length, states)), np.zeros((length, states), dtype=int)
for t in range(1, length):
    for s in range(states):
        best, argument = -float("inf"), 0
        for r in range(states):
            value = score[t - 1, r] + log_move[r][s]
            if value > best:
                best, argument = value, r
        score[t, s] = best + log_emit[s][seen[t]]
        back[t, s] = argument
path = [int(np.argmax(score[length - 1]))]
for t in range(length - 1, 0, -1):
    path.append(int(back[t, path[-1]]))
path.reverse()
print(sum(p == h for p, h in zip(path, hidden, strict=True)), f"{score[length - 1].max():.6f}")

likelihood, alpha = 0.0, [1.0 / states] * states
for t in range(length):
    total = sum(alpha)
    likelihood += math.log(total)
    alpha = [a / total for a in alpha]
    alpha = [
        sum(alpha[r] * move[r, s] for r in range(states)) * emit[s, seen[t]] for s in range(states)
    ]
print(f"{likelihood:.6f}")
