"""`cavity_flow` for Numba: loops over the interior; too small for threads."""

import numpy as np
from numba import njit


@njit
def relax_pressure(nit, p, pn, dx, dy, b):
    ny, nx = p.shape
    scale = 2 * (dx**2 + dy**2)
    for _ in range(nit):
        pn[:] = p
        for i in range(1, ny - 1):
            for j in range(1, nx - 1):
                around = (pn[i, j + 1] + pn[i, j - 1]) * dy**2
                around += (pn[i + 1, j] + pn[i - 1, j]) * dx**2
                p[i, j] = around / scale - dx**2 * dy**2 / scale * b[i, j]
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0


@njit
def kernel(nx, ny, nt, nit, u, v, dt, dx, dy, p, rho, nu):
    b = np.zeros((ny, nx))
    pn = np.empty_like(p)
    un = np.empty_like(u)
    vn = np.empty_like(v)
    for _ in range(nt):
        un[:] = u
        vn[:] = v
        for i in range(1, ny - 1):
            for j in range(1, nx - 1):
                ux = (u[i, j + 1] - u[i, j - 1]) / (2 * dx)
                uy = (u[i + 1, j] - u[i - 1, j]) / (2 * dy)
                vx = (v[i, j + 1] - v[i, j - 1]) / (2 * dx)
                vy = (v[i + 1, j] - v[i - 1, j]) / (2 * dy)
                b[i, j] = rho * (1 / dt * (ux + vy) - ux**2 - 2 * (uy * vx) - vy**2)
        relax_pressure(nit, p, pn, dx, dy, b)
        for i in range(1, ny - 1):
            for j in range(1, nx - 1):
                along_x = un[i, j] * dt / dx
                along_y = vn[i, j] * dt / dy
                u[i, j] = (
                    un[i, j]
                    - along_x * (un[i, j] - un[i, j - 1])
                    - along_y * (un[i, j] - un[i - 1, j])
                    - dt / (2 * rho * dx) * (p[i, j + 1] - p[i, j - 1])
                    + nu * dt / dx**2 * (un[i, j + 1] - 2 * un[i, j] + un[i, j - 1])
                    + nu * dt / dy**2 * (un[i + 1, j] - 2 * un[i, j] + un[i - 1, j])
                )
                v[i, j] = (
                    vn[i, j]
                    - along_x * (vn[i, j] - vn[i, j - 1])
                    - along_y * (vn[i, j] - vn[i - 1, j])
                    - dt / (2 * rho * dy) * (p[i + 1, j] - p[i - 1, j])
                    + nu * dt / dx**2 * (vn[i, j + 1] - 2 * vn[i, j] + vn[i, j - 1])
                    + nu * dt / dy**2 * (vn[i + 1, j] - 2 * vn[i, j] + vn[i - 1, j])
                )
        u[0, :] = 0
        u[:, 0] = 0
        u[:, -1] = 0
        u[-1, :] = 1
        v[0, :] = 0
        v[-1, :] = 0
        v[:, 0] = 0
        v[:, -1] = 0
