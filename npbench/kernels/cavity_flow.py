"""Lid-driven cavity: incompressible Navier-Stokes on a square with a moving lid.

Step 11 of Barba and Forsyth's "CFD Python" (doi:10.21105/jose.00021): a pressure Poisson
equation relaxed `nit` times in each of `nt` explicit time steps.
"""

import numpy as np

PRESETS = {
    "test": {"ny": 9, "nx": 11, "nt": 3, "nit": 2, "rho": 1.0, "nu": 0.1},
    "S": {"ny": 61, "nx": 61, "nt": 25, "nit": 5, "rho": 1.0, "nu": 0.1},
    "M": {"ny": 121, "nx": 121, "nt": 50, "nit": 10, "rho": 1.0, "nu": 0.1},
    "L": {"ny": 201, "nx": 201, "nt": 100, "nit": 20, "rho": 1.0, "nu": 0.1},
    "paper": {"ny": 101, "nx": 101, "nt": 700, "nit": 50, "rho": 1.0, "nu": 0.1},
}
MUTATES = ("u", "v", "p")


def initialize(ny, nx):
    return {
        "u": np.zeros((ny, nx)),
        "v": np.zeros((ny, nx)),
        "p": np.zeros((ny, nx)),
        "dx": 2 / (nx - 1),
        "dy": 2 / (ny - 1),
        "dt": 0.1 / ((nx - 1) * (ny - 1)),
    }


def pressure_source(b, rho, dt, u, v, dx, dy):
    b[1:-1, 1:-1] = rho * (
        1
        / dt
        * ((u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx) + (v[2:, 1:-1] - v[0:-2, 1:-1]) / (2 * dy))
        - ((u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx)) ** 2
        - 2 * ((u[2:, 1:-1] - u[0:-2, 1:-1]) / (2 * dy) * (v[1:-1, 2:] - v[1:-1, 0:-2]) / (2 * dx))
        - ((v[2:, 1:-1] - v[0:-2, 1:-1]) / (2 * dy)) ** 2
    )


def relax_pressure(nit, p, dx, dy, b):
    for _ in range(nit):
        pn = p.copy()
        p[1:-1, 1:-1] = (
            (pn[1:-1, 2:] + pn[1:-1, 0:-2]) * dy**2 + (pn[2:, 1:-1] + pn[0:-2, 1:-1]) * dx**2
        ) / (2 * (dx**2 + dy**2)) - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[1:-1, 1:-1]
        # No pressure gradient across three walls, zero pressure under the lid.
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0


def advance(w, un, vn, gradient, dt, dx, dy, nu):
    """One explicit step of a velocity component `w`: advection, pressure, diffusion."""
    return (
        w[1:-1, 1:-1]
        - un[1:-1, 1:-1] * dt / dx * (w[1:-1, 1:-1] - w[1:-1, 0:-2])
        - vn[1:-1, 1:-1] * dt / dy * (w[1:-1, 1:-1] - w[0:-2, 1:-1])
        - gradient
        + nu
        * (
            dt / dx**2 * (w[1:-1, 2:] - 2 * w[1:-1, 1:-1] + w[1:-1, 0:-2])
            + dt / dy**2 * (w[2:, 1:-1] - 2 * w[1:-1, 1:-1] + w[0:-2, 1:-1])
        )
    )


def kernel(nx, ny, nt, nit, u, v, dt, dx, dy, p, rho, nu):
    b = np.zeros((ny, nx))
    for _ in range(nt):
        un = u.copy()
        vn = v.copy()
        pressure_source(b, rho, dt, u, v, dx, dy)
        relax_pressure(nit, p, dx, dy, b)
        along_x = dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, 0:-2])
        along_y = dt / (2 * rho * dy) * (p[2:, 1:-1] - p[0:-2, 1:-1])
        u[1:-1, 1:-1] = advance(un, un, vn, along_x, dt, dx, dy, nu)
        v[1:-1, 1:-1] = advance(vn, un, vn, along_y, dt, dx, dy, nu)
        # No slip at the walls; the lid (last row) drags the fluid along at speed one.
        u[0, :] = 0
        u[:, 0] = 0
        u[:, -1] = 0
        u[-1, :] = 1
        v[0, :] = 0
        v[-1, :] = 0
        v[:, 0] = 0
        v[:, -1] = 0
