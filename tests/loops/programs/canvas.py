"""Lines and circles on a canvas of bytes, by integer arithmetic alone (Bresenham)."""

import math
import sys

import numpy as np


class Canvas:
    def __init__(self, width, height):
        self.width, self.height = width, height
        self.pixels = np.zeros((height, width), dtype=np.uint8)
        self.plotted = 0

    def plot(self, x, y, value):
        if 0 <= x < self.width and 0 <= y < self.height:
            self.pixels[y, x] = value
            self.plotted += 1

    def line(self, x0, y0, x1, y1, value):
        dx, dy = abs(x1 - x0), -abs(y1 - y0)
        sx = 1 if x0 < x1 else -1
        sy = 1 if y0 < y1 else -1
        error = dx + dy
        while True:
            self.plot(x0, y0, value)
            if x0 == x1 and y0 == y1:
                break
            twice = 2 * error
            if twice >= dy:
                error += dy
                x0 += sx
            if twice <= dx:
                error += dx
                y0 += sy

    def circle(self, cx, cy, r, value):
        x, y, d = r, 0, 1 - r
        while x >= y:
            for px, py in ((x, y), (y, x), (-y, x), (-x, y), (-x, -y), (-y, -x), (y, -x), (x, -y)):
                self.plot(cx + px, cy + py, value)
            y += 1
            if d < 0:
                d += 2 * y + 1
            else:
                x -= 1
                d += 2 * (y - x) + 1


n = int(sys.argv[1]) if len(sys.argv) > 1 else 4500
canvas = Canvas(640, 480)
for i in range(n):
    angle = math.radians(i / 4)
    x, y = int(320 + 380 * math.cos(angle)), int(240 + 380 * math.sin(angle))
    canvas.line(320, 240, x, y, i % 255 + 1)
print(canvas.plotted, int(canvas.pixels.sum()))
for r in range(4, 240):
    canvas.circle(320, 240, r, r)
print(canvas.plotted, int(np.count_nonzero(canvas.pixels)))
