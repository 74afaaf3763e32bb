"""`hdiff` for Numba: one loop; a Laplacian is computed again for each flux that needs it."""

from numba import njit, prange


@njit(inline="always")
def laplacian(field, i, j, k):
    around = field[i + 1, j, k] + field[i - 1, j, k] + field[i, j + 1, k] + field[i, j - 1, k]
    return 4.0 * field[i, j, k] - around


@njit(inline="always")
def limited(flux, slope):
    return 0.0 if flux * slope > 0 else flux


@njit(parallel=True)
def kernel(in_field, out_field, coeff):
    NI, NJ, NK = out_field.shape
    for i in prange(NI):
        for j in range(NJ):
            for k in range(NK):
                a, b = i + 2, j + 2
                value = in_field[a, b, k]
                here = laplacian(in_field, a, b, k)
                east = limited(
                    laplacian(in_field, a + 1, b, k) - here, in_field[a + 1, b, k] - value
                )
                west = limited(
                    here - laplacian(in_field, a - 1, b, k), value - in_field[a - 1, b, k]
                )
                north = limited(
                    laplacian(in_field, a, b + 1, k) - here, in_field[a, b + 1, k] - value
                )
                south = limited(
                    here - laplacian(in_field, a, b - 1, k), value - in_field[a, b - 1, k]
                )
                out_field[i, j, k] = value - coeff[i, j, k] * (east - west + north - south)
