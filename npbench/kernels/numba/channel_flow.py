"""`channel_flow` for Numba: loops over all columns, whose neighbours wrap around."""

import numpy as np
from numba import njit


@njit
def relax_pressure(nit, p, pn, dx, dy, b):
    ny, nx = p.shape
    scale = 2 * (dx**2 + dy**2)
    for _ in range(nit):
        pn[:] = p
        for i in range(1, ny - 1):
            for j in range(nx):
                east = pn[i, j + 1] if j < nx - 1 else pn[i, 0]
                around = (east + pn[i, j - 1]) * dy**2 + (pn[i + 1, j] + pn[i - 1, j]) * dx**2
                p[i, j] = around / scale - dx**2 * dy**2 / scale * b[i, j]
        p[-1, :] = p[-2, :]
        p[0, :] = p[1, :]


@njit
def kernel(nit, u, v, dt, dx, dy, p, rho, nu, F):
    ny, nx = u.shape
    b = np.zeros_like(u)
    pn = np.empty_like(p)
    un = np.empty_like(u)
    vn = np.empty_like(v)
    change = 1.0
    steps = 0
    while change > 0.001:
        un[:] = u
        vn[:] = v
        for i in range(1, ny - 1):
            for j in range(nx):
                east = j + 1 if j < nx - 1 else 0
                ux = (u[i, east] - u[i, j - 1]) / (2 * dx)
                uy = (u[i + 1, j] - u[i - 1, j]) / (2 * dy)
                vx = (v[i, east] - v[i, j - 1]) / (2 * dx)
                vy = (v[i + 1, j] - v[i - 1, j]) / (2 * dy)
                b[i, j] = rho * (1 / dt * (ux + vy) - ux**2 - 2 * (uy * vx) - vy**2)
        relax_pressure(nit, p, pn, dx, dy, b)
        for i in range(1, ny - 1):
            for j in range(nx):
                east = j + 1 if j < nx - 1 else 0
                along_x = un[i, j] * dt / dx
                along_y = vn[i, j] * dt / dy
                u[i, j] = (
                    un[i, j]
                    - along_x * (un[i, j] - un[i, j - 1])
                    - along_y * (un[i, j] - un[i - 1, j])
                    - dt / (2 * rho * dx) * (p[i, east] - p[i, j - 1])
                    + nu * dt / dx**2 * (un[i, east] - 2 * un[i, j] + un[i, j - 1])
                    + nu * dt / dy**2 * (un[i + 1, j] - 2 * un[i, j] + un[i - 1, j])
                    + F * dt
                )
                v[i, j] = (
                    vn[i, j]
                    - along_x * (vn[i, j] - vn[i, j - 1])
                    - along_y * (vn[i, j] - vn[i - 1, j])
                    - dt / (2 * rho * dy) * (p[i + 1, j] - p[i - 1, j])
                    + nu * dt / dx**2 * (vn[i, east] - 2 * vn[i, j] + vn[i, j - 1])
                    + nu * dt / dy**2 * (vn[i + 1, j] - 2 * vn[i, j] + vn[i - 1, j])
                )
        u[0, :] = 0
        u[-1, :] = 0
        v[0, :] = 0
        v[-1, :] = 0
        change = (np.sum(u) - np.sum(un)) / np.sum(u)
        steps += 1
    return steps
