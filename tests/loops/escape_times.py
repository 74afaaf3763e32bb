"""How many turns points of the plane stay near the Mandelbrot set: functions of numbers."""

from __future__ import annotations


def mandelbrot(a: float, b: float) -> int:
    """By a condition, at most 100."""
    x = y = 0.0
    n = 0
    while n < 100 and x * x + y * y <= 4.0:
        x, y = x * x - y * y + a, 2.0 * x * y + b
        n += 1
    return n


def escape_time(a: float, b: float) -> int:
    """By a range that is returned from, at most 200."""
    x = y = 0.0
    for i in range(200):
        if x * x + y * y > 4.0:
            return i
        x, y = x * x - y * y + a, 2.0 * x * y + b
    return 200
