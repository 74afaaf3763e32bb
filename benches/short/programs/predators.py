"""Predators and prey by Runge and Kutta's method on vectors of two numbers."""

import sys

import numpy as np

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 1000


def rate(state):
    prey, predators = state
    return np.array([prey * (1.1 - 0.4 * predators), predators * (0.1 * prey - 0.4)])


state = np.array([10.0, 5.0])
dt = 0.02
track = np.empty((STEPS, 2))
for step in range(STEPS):
    k1 = rate(state)
    k2 = rate(state + dt / 2 * k1)
    k3 = rate(state + dt / 2 * k2)
    k4 = rate(state + dt * k3)
    state = state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    track[step] = state
print(np.round(track.max(axis=0), 5), np.round(track.min(axis=0), 5), np.round(state, 6))
