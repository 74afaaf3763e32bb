"""Spheres over a chequered floor, with shadows and reflections, traced in arrays of rays."""

import sys

import numpy as np

WIDTH = int(sys.argv[1]) if len(sys.argv) > 1 else 160
HEIGHT = WIDTH * 3 // 4
FAR = 1e30
LIGHT = (5.0, 6.0, -8.0)
EYE = (0.0, 0.4, -1.2)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def scale(a, k):
    return (a[0] * k, a[1] * k, a[2] * k)


def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def subtract(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def unit(a):
    length = np.sqrt(dot(a, a))
    return scale(a, 1.0 / np.where(length == 0, 1, length))


def choose(mask, a):
    return tuple(
        np.extract(mask, part) if isinstance(part, np.ndarray) and part.shape else part
        for part in a
    )


def put(mask, a):
    placed = [np.zeros(mask.shape), np.zeros(mask.shape), np.zeros(mask.shape)]
    for whole, part in zip(placed, a):
        np.place(whole, mask, part)
    return tuple(placed)


class Sphere:
    def __init__(self, centre, radius, colour, mirror):
        self.centre, self.radius, self.colour, self.mirror = centre, radius, colour, mirror

    def hit(self, origin, direction):
        b = 2 * dot(direction, subtract(origin, self.centre))
        c = (
            dot(self.centre, self.centre)
            + dot(origin, origin)
            - 2 * dot(self.centre, origin)
            - self.radius**2
        )
        discriminant = b**2 - 4 * c
        root = np.sqrt(np.maximum(0, discriminant))
        near, far = (-b - root) / 2, (-b + root) / 2
        t = np.where((near > 0) & (near < far), near, far)
        return np.where((discriminant > 0) & (t > 1e-4), t, FAR)

    def paint(self, point):
        return self.colour

    def shade(self, origin, direction, t, scene, bounce):
        point = add(origin, scale(direction, t))
        normal = scale(subtract(point, self.centre), 1.0 / self.radius)
        to_light = unit(subtract(LIGHT, point))
        to_eye = unit(subtract(EYE, point))
        outside = add(point, scale(normal, 1e-4))
        distances = [other.hit(outside, to_light) for other in scene]
        nearest = np.minimum.reduce(distances)
        lit = distances[scene.index(self)] == nearest
        colour = (0.05, 0.05, 0.05)
        diffuse = np.maximum(dot(normal, to_light), 0)
        colour = add(colour, scale(self.paint(point), diffuse * lit))
        if bounce < 2:
            mirrored = unit(subtract(direction, scale(normal, 2 * dot(direction, normal))))
            colour = add(colour, scale(trace(outside, mirrored, scene, bounce + 1), self.mirror))
        halfway = dot(normal, unit(add(to_light, to_eye)))
        return add(colour, scale((1.0, 1.0, 1.0), np.power(np.clip(halfway, 0, 1), 50) * lit))


class Floor(Sphere):
    def paint(self, point):
        even = (point[0] * 2).astype(int) % 2 == (point[2] * 2).astype(int) % 2
        return scale(self.colour, even * 1.0)


def trace(origin, direction, scene, bounce=0):
    distances = [thing.hit(origin, direction) for thing in scene]
    nearest = np.minimum.reduce(distances)
    colour = (0.0, 0.0, 0.0)
    for thing, distance in zip(scene, distances):
        hit = (nearest != FAR) & (distance == nearest)
        if np.any(hit):
            t = np.extract(hit, distance)
            shaded = thing.shade(choose(hit, origin), choose(hit, direction), t, scene, bounce)
            colour = add(colour, put(hit, shaded))
    return colour


scene = [
    Sphere((0.75, 0.1, 1.0), 0.6, (0.1, 0.1, 1.0), 0.5),
    Sphere((-0.75, 0.1, 2.25), 0.6, (0.6, 0.2, 0.6), 0.5),
    Sphere((-2.75, 0.1, 3.5), 0.6, (1.0, 0.6, 0.2), 0.5),
    Floor((0.0, -9999.5, 0.0), 9999.0, (0.75, 0.75, 0.75), 0.25),
]
x = np.tile(np.linspace(-1, 1, WIDTH), HEIGHT)
y = np.repeat(np.linspace(1, -0.5, HEIGHT), WIDTH)
pixels = np.stack([x, y, np.zeros(WIDTH * HEIGHT)])
image = trace(EYE, unit(subtract(tuple(pixels), EYE)), scene)
image = [(255 * np.clip(channel, 0, 1)).astype(np.uint8) for channel in image]
print([int(channel.sum()) // 1000 for channel in image])
