"""A hanging cloth of masses and springs, objects of two classes."""

import math
import sys

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 2000


class Mass:
    """A point that forces move, unless it is fixed."""

    __slots__ = ("fixed", "fx", "fy", "m", "vx", "vy", "x", "y")

    def __init__(self, x, y, fixed):
        self.x, self.y, self.vx, self.vy = x, y, 0.0, 0.0
        self.fx = self.fy = 0
        self.m, self.fixed = 0.5, fixed


class Spring:
    """Pulls two masses to its length."""

    def __init__(self, a, b, k=400.0):
        self.a, self.b, self.k = a, b, k
        self.rest = math.hypot(a.x - b.x, a.y - b.y)

    def apply(self):
        dx, dy = self.b.x - self.a.x, self.b.y - self.a.y
        length = math.sqrt(dx * dx + dy * dy)
        f = self.k * (length - self.rest) / length
        self.a.fx += f * dx
        self.a.fy += f * dy
        self.b.fx -= f * dx
        self.b.fy -= f * dy


class Cloth:
    """Masses in rows, and the springs between neighbours."""

    def __init__(self, n):
        self.masses = [Mass(i * 0.1, -j * 0.1, j == 0) for j in range(n) for i in range(n)]
        self.springs = []
        for k, mass in enumerate(self.masses):
            if (k + 1) % n:
                self.springs.append(Spring(mass, self.masses[k + 1]))
            if k + n < n * n:
                self.springs.append(Spring(mass, self.masses[k + n]))

    def step(self, dt):
        for mass in self.masses:
            mass.fx = 0
            mass.fy = -9.81 * mass.m
        for spring in self.springs:
            spring.apply()
        for mass in self.masses:
            if not mass.fixed:
                mass.vx = (mass.vx + mass.fx / mass.m * dt) * 0.999
                mass.vy = (mass.vy + mass.fy / mass.m * dt) * 0.999
                mass.x += mass.vx * dt
                mass.y += mass.vy * dt


cloth = Cloth(20)
for step in range(steps):
    cloth.step(0.002)
print([round(mass.y, 9) for mass in cloth.masses[::37]])
