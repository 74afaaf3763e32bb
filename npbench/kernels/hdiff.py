"""Horizontal diffusion of a weather model: a Laplacian, limited fluxes, and their divergence.

The COSMO stencil in the form popularised by the GridTools project.
"""

import numpy as np

PRESETS = {
    "test": {"NI": 5, "NJ": 6, "NK": 3},
    "S": {"NI": 64, "NJ": 64, "NK": 60},
    "M": {"NI": 128, "NJ": 128, "NK": 160},
    "L": {"NI": 384, "NJ": 384, "NK": 160},
    "paper": {"NI": 256, "NJ": 256, "NK": 160},
}
MUTATES = ("out_field",)


def initialize(NI, NJ, NK):
    rng = np.random.default_rng(42)
    return {
        "in_field": rng.random((NI + 4, NJ + 4, NK)),
        "out_field": rng.random((NI, NJ, NK)),
        "coeff": rng.random((NI, NJ, NK)),
    }


def kernel(in_field, out_field, coeff):
    NI, NJ, _ = out_field.shape
    laplacian = 4.0 * in_field[1 : NI + 3, 1 : NJ + 3, :] - (
        in_field[2 : NI + 4, 1 : NJ + 3, :]
        + in_field[0 : NI + 2, 1 : NJ + 3, :]
        + in_field[1 : NI + 3, 2 : NJ + 4, :]
        + in_field[1 : NI + 3, 0 : NJ + 2, :]
    )
    # Flux limiter: a flux up the gradient is set to zero.
    flux = laplacian[1:, 1 : NJ + 1, :] - laplacian[:-1, 1 : NJ + 1, :]
    slope = in_field[2 : NI + 3, 2 : NJ + 2, :] - in_field[1 : NI + 2, 2 : NJ + 2, :]
    flux_i = np.where((flux * slope) > 0, 0, flux)
    flux = laplacian[1 : NI + 1, 1:, :] - laplacian[1 : NI + 1, :-1, :]
    slope = in_field[2 : NI + 2, 2 : NJ + 3, :] - in_field[2 : NI + 2, 1 : NJ + 2, :]
    flux_j = np.where((flux * slope) > 0, 0, flux)
    out_field[:, :, :] = in_field[2 : NI + 2, 2 : NJ + 2, :] - coeff[:, :, :] * (
        flux_i[1:, :, :] - flux_i[:-1, :, :] + flux_j[:, 1:, :] - flux_j[:, :-1, :]
    )
