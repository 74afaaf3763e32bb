"""Bodies that attract each other, objects of a class in a list."""

import math
import sys

import numpy as np

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
rng = np.random.default_rng(1)


class Body:
    """A mass at a point, with a velocity."""

    def __init__(self, x, y, z, vx, vy, vz, mass):
        self.x, self.y, self.z = x, y, z
        self.vx, self.vy, self.vz = vx, vy, vz
        self.mass = mass

    def move(self, dt):
        self.x += dt * self.vx
        self.y += dt * self.vy
        self.z += dt * self.vz


def advance(bodies, dt):
    for i in range(len(bodies)):
        a = bodies[i]
        for j in range(i + 1, len(bodies)):
            b = bodies[j]
            dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
            d2 = dx * dx + dy * dy + dz * dz + 0.01
            mag = dt / (d2 * math.sqrt(d2))
            a.vx -= dx * b.mass * mag
            a.vy -= dy * b.mass * mag
            a.vz -= dz * b.mass * mag
            b.vx += dx * a.mass * mag
            b.vy += dy * a.mass * mag
            b.vz += dz * a.mass * mag
    for body in bodies:
        body.move(dt)


def energy(bodies):
    e = 0.0
    for i, a in enumerate(bodies):
        e += 0.5 * a.mass * (a.vx**2 + a.vy**2 + a.vz**2)
        for b in bodies[i + 1 :]:
            d2 = (a.x - b.x) ** 2 + (a.y - b.y) ** 2 + (a.z - b.z) ** 2 + 0.01
            e -= a.mass * b.mass / math.sqrt(d2)
    return e


bodies = [Body(*rng.normal(size=6).tolist(), float(rng.uniform(0.5, 1.5))) for _ in range(60)]
print(energy(bodies))
for step in range(steps):
    advance(bodies, 0.001)
print(energy(bodies))
