"""A Kalman filter: small matrices, a step for each measurement."""

import sys

import numpy as np

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 300

rng = np.random.default_rng(20)
dt = 0.1
F = np.array([[1, 0, dt, 0], [0, 1, 0, dt], [0, 0, 1, 0], [0, 0, 0, 1]])
H = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0]])
Q, R = 0.01 * np.eye(4), 0.25 * np.eye(2)
x, P = np.zeros(4), np.eye(4)
truth = np.array([0.0, 0.0, 1.0, 0.5])
error = 0.0
for _ in range(STEPS):
    truth = F @ truth
    z = H @ truth + 0.5 * rng.standard_normal(2)
    x, P = F @ x, F @ P @ F.T + Q
    S = H @ P @ H.T + R
    K = P @ H.T @ np.linalg.inv(S)
    x = x + K @ (z - H @ x)
    P = (np.eye(4) - K @ H) @ P
    error += np.linalg.norm(x[:2] - truth[:2])
print(f"{error / STEPS:.6f} {np.trace(P):.6f}")
