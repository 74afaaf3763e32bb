"""Gravitating bodies with softened forces, integrated by kick-drift-kick leapfrog.

All pairs interact through N by N matrices; the kinetic and the potential energy are returned for
every step.
"""

import numpy as np

PRESETS = {
    "test": {"N": 4, "tEnd": 0.2, "dt": 0.05, "softening": 0.1, "G": 1.0},
    "S": {"N": 25, "tEnd": 2.0, "dt": 0.05, "softening": 0.1, "G": 1.0},
    "M": {"N": 50, "tEnd": 5.0, "dt": 0.02, "softening": 0.1, "G": 1.0},
    "L": {"N": 100, "tEnd": 9.0, "dt": 0.01, "softening": 0.1, "G": 1.0},
    "paper": {"N": 100, "tEnd": 10.0, "dt": 0.01, "softening": 0.1, "G": 1.0},
}
MUTATES = ("pos", "vel")
# Close encounters amplify an ulp: to 2e-8 of the norm at S, to all digits at the larger presets,
# where only the order of magnitude can be compared.
NORM_TOLERANCES = {"S": 1e-5, "M": 2.0, "L": 2.0, "paper": 2.0}


def initialize(N, tEnd, dt):
    rng = np.random.default_rng(42)
    return {
        "mass": 20.0 * np.ones((N, 1)) / N,
        "pos": rng.random((N, 3)),
        "vel": rng.random((N, 3)),
        "Nt": int(np.ceil(tEnd / dt)),
    }


def separations(pos):
    """The differences of the coordinates of all pairs, one N by N matrix an axis."""
    columns = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    return [column.T - column for column in columns]


def accelerations(pos, mass, G, softening):
    dx, dy, dz = separations(pos)
    inverse_cube = dx**2 + dy**2 + dz**2 + softening**2
    inverse_cube[inverse_cube > 0] = inverse_cube[inverse_cube > 0] ** (-1.5)
    return np.hstack([G * (d * inverse_cube) @ mass for d in (dx, dy, dz)])


def energies(pos, vel, mass, G):
    kinetic = 0.5 * np.sum(mass * vel**2)
    dx, dy, dz = separations(pos)
    inverse = np.sqrt(dx**2 + dy**2 + dz**2)
    inverse[inverse > 0] = 1.0 / inverse[inverse > 0]
    # The strict upper triangle holds every pair once.
    potential = G * np.sum(np.triu(-(mass * mass.T) * inverse, 1))
    return kinetic, potential


def kernel(mass, pos, vel, N, Nt, dt, G, softening):
    # Move with the centre of mass.
    vel -= np.mean(mass * vel, axis=0) / np.mean(mass)
    acc = accelerations(pos, mass, G, softening)
    kinetic = np.empty(Nt + 1, dtype=np.float64)
    potential = np.empty(Nt + 1, dtype=np.float64)
    kinetic[0], potential[0] = energies(pos, vel, mass, G)
    for step in range(1, Nt + 1):
        vel += acc * dt / 2.0
        pos += vel * dt
        acc = accelerations(pos, mass, G, softening)
        vel += acc * dt / 2.0
        kinetic[step], potential[step] = energies(pos, vel, mass, G)
    return kinetic, potential
