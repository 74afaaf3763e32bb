"""`nbody` for Numba: loops over pairs."""

import numpy as np
from numba import njit


@njit
def accelerate(pos, mass, G, softening, acc):
    N = pos.shape[0]
    for i in range(N):
        ax = ay = az = 0.0
        for j in range(N):
            dx = pos[j, 0] - pos[i, 0]
            dy = pos[j, 1] - pos[i, 1]
            dz = pos[j, 2] - pos[i, 2]
            square = dx**2 + dy**2 + dz**2 + softening**2
            if square > 0:
                factor = mass[j, 0] / (square * np.sqrt(square))
                ax += dx * factor
                ay += dy * factor
                az += dz * factor
        acc[i, 0] = G * ax
        acc[i, 1] = G * ay
        acc[i, 2] = G * az


@njit
def energies(pos, vel, mass, G):
    N = pos.shape[0]
    kinetic = potential = 0.0
    for i in range(N):
        kinetic += mass[i, 0] * (vel[i, 0] ** 2 + vel[i, 1] ** 2 + vel[i, 2] ** 2)
        for j in range(i + 1, N):
            dx = pos[j, 0] - pos[i, 0]
            dy = pos[j, 1] - pos[i, 1]
            dz = pos[j, 2] - pos[i, 2]
            distance = np.sqrt(dx**2 + dy**2 + dz**2)
            if distance > 0:
                potential -= mass[i, 0] * mass[j, 0] / distance
    return 0.5 * kinetic, G * potential


@njit
def kernel(mass, pos, vel, N, Nt, dt, G, softening):
    for d in range(3):
        vel[:, d] -= np.mean(mass[:, 0] * vel[:, d]) / np.mean(mass)
    acc = np.empty_like(pos)
    accelerate(pos, mass, G, softening, acc)
    kinetic = np.empty(Nt + 1)
    potential = np.empty(Nt + 1)
    kinetic[0], potential[0] = energies(pos, vel, mass, G)
    for step in range(1, Nt + 1):
        vel += acc * dt / 2.0
        pos += vel * dt
        accelerate(pos, mass, G, softening, acc)
        vel += acc * dt / 2.0
        kinetic[step], potential[step] = energies(pos, vel, mass, G)
    return kinetic, potential
