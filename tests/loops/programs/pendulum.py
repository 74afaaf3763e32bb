"""A damped, driven pendulum by Euler–Cromer, with math.sin."""

import math
import sys

import numpy as np

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 900000
theta, omega, t = 0.2, 0.0, 0.0
dt = 0.01
samples = []
for k in range(steps):
    omega += (-math.sin(theta) - 0.5 * omega + 1.2 * math.cos(2.0 / 3.0 * t)) * dt
    theta += omega * dt
    if theta > math.pi:
        theta -= 2 * math.pi
    elif theta < -math.pi:
        theta += 2 * math.pi
    t += dt
    if k % 1000 == 0:
        samples.append(theta)
print(len(samples), np.mean(samples).round(12), theta, omega)
