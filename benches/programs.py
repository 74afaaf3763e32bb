"""Twenty programs in vectors x, y, z and integers i, for `benches.rivals`.

They are like those that DelayRepay (Morton et al., DLS 2020) was measured with: programs of a few
lines, most of which are also in the numpy-benchmarks collection. Formulas are from textbooks, the
code is new. Each is a pure function that NumPy, Numba and JAX accept unchanged; those that work on
a grid take the largest square of elements that the vectors have.
"""

from __future__ import annotations

import numpy as np


def circle(x, y, z, i):
    """The identity of the paper's first example."""
    return np.sin(x) ** 2 + np.cos(x) ** 2


def axpy(x, y, z, i):
    """A scaled vector plus another."""
    return 1.75 * x + y


def arc_distance(x, y, z, i):
    """Angles between points on a sphere, by haversines of latitudes x, y and longitudes z."""
    a = np.sin((y - x) / 2) ** 2 + np.cos(x) * np.cos(y) * np.sin(z / 2) ** 2
    return 2 * np.arctan2(np.sqrt(a), np.sqrt(1 - a))


def cronbach(x, y, z, i):
    """Reliability of a test of three items."""
    total = x + y + z
    n = x.size
    items = (np.sum(x * x) + np.sum(y * y) + np.sum(z * z)) / n
    items = items - ((np.sum(x) / n) ** 2 + (np.sum(y) / n) ** 2 + (np.sum(z) / n) ** 2)
    whole = np.sum(total * total) / n - (np.sum(total) / n) ** 2
    return 1.5 * (1 - items / (whole + 1e-30))


def diffusion(x, y, z, i):
    """A step of heat diffusion on a grid."""
    side = int(x.size**0.5)
    u = x[: side * side].reshape(side, side)
    middle = u[1:-1, 1:-1]
    return middle + 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * middle)


def gray_scott(x, y, z, i):
    """A step of the reaction and diffusion of two substances on a line."""
    u, v = x[1:-1], y[1:-1]
    reaction = u * v * v
    spread_u = x[2:] - 2 * u + x[:-2]
    spread_v = y[2:] - 2 * v + y[:-2]
    new_u = u + 0.16 * spread_u - reaction + 0.035 * (1 - u)
    new_v = v + 0.08 * spread_v + reaction - 0.095 * v
    return new_u, new_v


def harris(x, y, z, i):
    """Harris corner response at each point of an image."""
    side = int(x.size**0.5)
    image = x[: side * side].reshape(side, side)
    dx = (image[1:-1, 2:] - image[1:-1, :-2]) / 2
    dy = (image[2:, 1:-1] - image[:-2, 1:-1]) / 2
    xx, yy, xy = dx * dx, dy * dy, dx * dy
    return xx * yy - xy * xy - 0.05 * (xx + yy) ** 2


def hastings_powell(x, y, z, i):
    """Rates of a food chain of three species."""
    first = 5 * x * y / (1 + 3 * x)
    second = 0.1 * y * z / (1 + 2 * y)
    return x * (1 - x) - first, first - second - 0.4 * y, second - 0.01 * z


def julia(x, y, z, i):
    """Eight steps of z -> z^2 + c for points of the plane, and which of them stay."""
    re, im = x - 1.25, y - 1.25
    for _ in range(8):
        re, im = re * re - im * im - 0.4, 2 * re * im + 0.6
        re, im = np.minimum(np.maximum(re, -4), 4), np.minimum(np.maximum(im, -4), 4)
    return re * re + im * im < 4


def l2norm(x, y, z, i):
    """Lengths of vectors in three dimensions."""
    return np.sqrt(x * x + y * y + z * z)


def local_maxima(x, y, z, i):
    """The number of elements that are larger than both neighbours."""
    return np.sum((x[1:-1] > x[:-2]) & (x[1:-1] > x[2:]))


def log_likelihood(x, y, z, i):
    """Log-likelihood of values under a normal distribution with their mean and variance."""
    n = x.size
    mean = np.sum(x) / n
    variance = np.sum((x - mean) ** 2) / n + 1e-30
    return -0.5 * np.sum((x - mean) ** 2 / variance + np.log(6.283185307179586 * variance))


def least_squares(x, y, z, i):
    """Slope and intercept of a line through points."""
    n = x.size
    mean_x, mean_y = np.sum(x) / n, np.sum(y) / n
    slope = np.sum((x - mean_x) * (y - mean_y)) / (np.sum((x - mean_x) ** 2) + 1e-30)
    return slope, mean_y - slope * mean_x


def masked_mean(x, y, z, i):
    """Mean of the values for which a condition holds."""
    chosen = i > 4
    return np.sum(np.where(chosen, x, 0.0)) / (np.sum(chosen) + 1)


def pairwise(x, y, z, i):
    """Distances between all pairs of the first points; as many distances as elements."""
    side = int(x.size**0.5)
    a, b = x[:side], y[:side]
    across, along = a.reshape(side, 1) - a, b.reshape(side, 1) - b
    return np.sqrt(across * across + along * along)


def periodic_distance(x, y, z, i):
    """Distances in a box with periodic boundaries."""
    dx, dy = np.abs(x - y), np.abs(y - z)
    dx, dy = np.minimum(dx, 1.5 - dx), np.minimum(dy, 1.5 - dy)
    return np.sqrt(dx * dx + dy * dy)


def rosenbrock(x, y, z, i):
    """The Rosenbrock function, a test function of optimisation."""
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def vibration_energy(x, y, z, i):
    """Energies of a Morse potential, and their mean."""
    bond = 1 - np.exp(-1.2 * (x - 1.1))
    energy = 4.5 * bond * bond + 0.5 * y * y / z
    return np.sum(energy) / x.size


def wave(x, y, z, i):
    """A step of the wave equation on a string, from the last two."""
    return 2 * x[1:-1] - y[1:-1] + 0.25 * (x[2:] - 2 * x[1:-1] + x[:-2])


def weighted_distance(x, y, z, i):
    """Root of the weighted mean of squared differences."""
    return np.sqrt(np.sum(z * (x - y) ** 2) / np.sum(z))
