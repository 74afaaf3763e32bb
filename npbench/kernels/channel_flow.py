"""Channel flow: incompressible Navier-Stokes between two walls, periodic along the channel.

Step 12 of Barba and Forsyth's "CFD Python" (doi:10.21105/jose.00021): a constant force drives
the fluid until the total momentum changes by less than a thousandth in a step. Every formula is
applied three times: to the interior columns and to the two columns that wrap around.
"""

import numpy as np

PRESETS = {
    "test": {"ny": 7, "nx": 9, "nit": 2, "rho": 1.0, "nu": 0.1, "F": 1.0},
    "S": {"ny": 61, "nx": 61, "nit": 5, "rho": 1.0, "nu": 0.1, "F": 1.0},
    "M": {"ny": 121, "nx": 121, "nit": 10, "rho": 1.0, "nu": 0.1, "F": 1.0},
    "L": {"ny": 201, "nx": 201, "nit": 20, "rho": 1.0, "nu": 0.1, "F": 1.0},
    "paper": {"ny": 101, "nx": 101, "nit": 50, "rho": 1.0, "nu": 0.1, "F": 1.0},
}
MUTATES = ("u", "v", "p")

# A column (or the block of interior columns) with its western and eastern neighbours.
COLUMNS = (
    (slice(1, -1), slice(0, -2), slice(2, None)),
    (-1, -2, 0),
    (0, -1, 1),
)


def initialize(ny, nx):
    return {
        "u": np.zeros((ny, nx)),
        "v": np.zeros((ny, nx)),
        "p": np.ones((ny, nx)),
        "dx": 2 / (nx - 1),
        "dy": 2 / (ny - 1),
        "dt": 0.1 / ((nx - 1) * (ny - 1)),
    }


def pressure_source(rho, dt, dx, dy, u, v):
    b = np.zeros_like(u)
    for here, west, east in COLUMNS:
        b[1:-1, here] = rho * (
            1
            / dt
            * (
                (u[1:-1, east] - u[1:-1, west]) / (2 * dx)
                + (v[2:, here] - v[0:-2, here]) / (2 * dy)
            )
            - ((u[1:-1, east] - u[1:-1, west]) / (2 * dx)) ** 2
            - 2
            * (
                (u[2:, here] - u[0:-2, here])
                / (2 * dy)
                * (v[1:-1, east] - v[1:-1, west])
                / (2 * dx)
            )
            - ((v[2:, here] - v[0:-2, here]) / (2 * dy)) ** 2
        )
    return b


def relax_pressure(nit, p, dx, dy, b):
    for _ in range(nit):
        pn = p.copy()
        for here, west, east in COLUMNS:
            p[1:-1, here] = (
                (pn[1:-1, east] + pn[1:-1, west]) * dy**2 + (pn[2:, here] + pn[0:-2, here]) * dx**2
            ) / (2 * (dx**2 + dy**2)) - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[1:-1, here]
        # No pressure gradient across the walls.
        p[-1, :] = p[-2, :]
        p[0, :] = p[1, :]


def advance(w, un, vn, gradient, columns, dt, dx, dy, nu):
    """One explicit step of a velocity component `w` on `columns`, without the driving force."""
    here, west, east = columns
    return (
        w[1:-1, here]
        - un[1:-1, here] * dt / dx * (w[1:-1, here] - w[1:-1, west])
        - vn[1:-1, here] * dt / dy * (w[1:-1, here] - w[0:-2, here])
        - gradient
        + nu
        * (
            dt / dx**2 * (w[1:-1, east] - 2 * w[1:-1, here] + w[1:-1, west])
            + dt / dy**2 * (w[2:, here] - 2 * w[1:-1, here] + w[0:-2, here])
        )
    )


def kernel(nit, u, v, dt, dx, dy, p, rho, nu, F):
    change = 1
    steps = 0
    while change > 0.001:
        un = u.copy()
        vn = v.copy()
        b = pressure_source(rho, dt, dx, dy, u, v)
        relax_pressure(nit, p, dx, dy, b)
        for columns in COLUMNS:
            here, west, east = columns
            along_x = dt / (2 * rho * dx) * (p[1:-1, east] - p[1:-1, west])
            along_y = dt / (2 * rho * dy) * (p[2:, here] - p[0:-2, here])
            u[1:-1, here] = advance(un, un, vn, along_x, columns, dt, dx, dy, nu) + F * dt
            v[1:-1, here] = advance(vn, un, vn, along_y, columns, dt, dx, dy, nu)
        # No slip at the walls.
        u[0, :] = 0
        u[-1, :] = 0
        v[0, :] = 0
        v[-1, :] = 0
        change = (np.sum(u) - np.sum(un)) / np.sum(u)
        steps += 1
    return steps
