"""Two programs of ocean models, for `benches.device`: what pyhpc-benchmarks compares libraries by.

`enthalpy_slope` is the equation of state: the 48-term expression of TEOS-10 for the density of sea
water (IOC, SCOR and IAPSO, "The international thermodynamic equation of seawater - 2010", appendix
K), a rational function of pressure, whose integral gives the enthalpy in closed form.
`isoneutral_mixing` follows the triads of Griffies et al. (J. Phys. Oceanogr. 28, 1998). The
coefficients are TEOS-10's, the code is new.
"""

from __future__ import annotations

import numpy as np

# Polynomials in the temperature: for each power of pressure, the factors of 1, of the salinity and
# of its power of one and a half.
NUMERATOR = (
    (
        (9.998420897506056e2, 2.839940833161907, -3.147759265588511e-2, 1.181805545074306e-3),
        (-6.698001071123802, -2.986498947203215e-2, 2.327859407479162e-4),
        (-3.988822378968490e-2, 5.095422573880500e-4, -1.426984671633621e-5, 1.645039373682922e-7),
    ),
    (
        (-2.233269627352527e-2, -3.436090079851880e-4, 3.726050720345733e-6),
        (-1.806789763745328e-4, 6.876837219536232e-7),
    ),
    (
        (-3.087032500374211e-7, -1.988366587925593e-8, -1.061519070296458e-11),
        (1.550932729220080e-10,),
    ),
)
DENOMINATOR = (
    (
        (
            1.0,
            2.775927747785646e-3,
            -2.349607444135925e-5,
            1.119513357486743e-6,
            6.743689325042773e-10,
        ),
        (
            -7.521448093615448e-3,
            -2.764306979894411e-5,
            1.262937315098546e-7,
            9.527875081696435e-10,
            -1.811147201949891e-11,
        ),
        (
            -3.303308871386421e-5,
            3.801564588876298e-7,
            -7.672876869259043e-9,
            -4.634182341116144e-11,
            2.681097235569143e-12,
        ),
    ),
    (
        (
            -2.742185394906099e-5,
            -3.212746477974189e-7,
            3.191413910561627e-9,
            -1.931012931541776e-12,
        ),
        (-1.105097577149576e-7, 6.211426728363857e-10),
    ),
    (
        (-1.119011592875110e-10, -1.941660213148725e-11, -1.864826425365600e-14),
        (0.0, 1.119522344879478e-14),
    ),
    ((-1.200507748551599e-15, 6.057902487546866e-17),),
)
SALINITY_SQUARED = 5.419326551148740e-6


class Dual:
    """A value with its derivative by the temperature (forward-mode differentiation)."""

    def __init__(self, value, slope):
        self.value, self.slope = value, slope

    def __add__(self, other):
        return Dual(self.value + other.value, self.slope + other.slope)

    def __sub__(self, other):
        return Dual(self.value - other.value, self.slope - other.slope)

    def __mul__(self, other):
        return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)

    def __truediv__(self, other):
        ratio = self.value / other.value
        return Dual(ratio, (self.slope - ratio * other.slope) / other.value)

    def times(self, factor):
        return Dual(self.value * factor, self.slope * factor)

    def sqrt(self):
        root = np.sqrt(self.value)
        return Dual(root, 0.5 * self.slope / root)

    def log(self):
        return Dual(np.log(self.value), self.slope / self.value)


def polynomial(factors, temperature):
    """By Horner's rule."""
    value, slope = factors[-1], 0.0
    for factor in factors[-2::-1]:
        value, slope = factor + value * temperature, value + slope * temperature
    return Dual(value, slope)


def coefficients(table, salinity, root, temperature):
    """The coefficients of a polynomial in the pressure."""
    found = []
    for row in table:
        total = polynomial(row[0], temperature)
        for factors, weight in zip(row[1:], (salinity, salinity * root), strict=False):
            total = total + polynomial(factors, temperature).times(weight)
        found.append(total)
    return found


def dynamic_enthalpy(salinity, temperature, pressure):
    """Enthalpy at a pressure less that at none, and its derivative by the temperature: 10,000 times
    the integral of the specific volume, (b0 + b1 p + b2 p^2 + b3 p^3) / (a0 + a1 p + a2 p^2).
    """
    root = np.sqrt(salinity)
    a0, a1, a2 = coefficients(NUMERATOR, salinity, root, temperature)
    b0, b1, b2, b3 = coefficients(DENOMINATOR, salinity, root, temperature)
    b0 = Dual(b0.value + SALINITY_SQUARED * salinity * salinity, b0.slope)
    # The quotient q0 + q1 p and the remainder r0 + r1 p of the division.
    q1 = b3 / a2
    q0 = (b2 - q1 * a1) / a2
    r1 = b1 - q1 * a0 - q0 * a1
    r0 = b0 - q0 * a0
    half = a1.times(0.5)
    distance = (half * half - a0 * a2).sqrt()
    ends = (a0 + (a1 + a2.times(pressure)).times(pressure)) / a0
    shift = a2.times(pressure)
    between = distance * shift.times(2.0) / ((half - distance) * (half + distance + shift))
    between = Dual(1.0 + between.value, between.slope)
    whole = (q0 + q1.times(0.5 * pressure)).times(pressure)
    whole = whole + r1 / a2.times(2.0) * ends.log()
    whole = whole + (r0 - r1 * half / a2) / distance.times(2.0) * between.log()
    return whole.times(1e4)


def enthalpy_slope(salinity, temperature, pressure):
    """The derivative of the dynamic enthalpy by the temperature: in g/kg, degrees and dbar."""
    return dynamic_enthalpy(salinity, temperature, pressure).slope


DENSITY = 1024.0
# The slope from which on mixing is reduced, over which width, and the mixing that always remains.
STEEP, WIDTH, LEAST = 1e-3, 1e-3, 50.0


def isoneutral_mixing(
    temperature, salinity, wet, sizes, heights, mixing, slopes_x, slopes_y, mix_x, mix_y, mix_z
):
    """Mixing along surfaces of equal density: slopes of the four triads at each face, and the
    diffusivities eastward, northward and upward. Writes the last five arguments.
    """
    by_heat = -DENSITY * (1.67e-4 + 1e-5 * (temperature - 9.85)) * wet
    by_salt = DENSITY * 0.78e-3 * wet
    between = 0.5 * (heights[1:] + heights[:-1])
    open_z = wet[..., 1:] * wet[..., :-1]
    heat_z = open_z * (temperature[..., 1:] - temperature[..., :-1]) / between
    salt_z = open_z * (salinity[..., 1:] - salinity[..., :-1]) / between
    mix_z[...] = 0.0
    for axis, slopes, mixed in ((0, slopes_x, mix_x), (1, slopes_y, mix_y)):
        low, high = side_of(axis, 0), side_of(axis, 1)
        distance = 0.5 * (sizes[axis][low[axis]] + sizes[axis][high[axis]])
        distance = distance.reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))
        is_open = wet[high] * wet[low]
        heat = is_open * (temperature[high] - temperature[low]) / distance
        salt = is_open * (salinity[high] - salinity[low]) / distance
        local = 0.5 * (mixing[high] + mixing[low])
        mixed[...] = 0.0
        for side in (0, 1):
            cells = side_of(axis, side)
            for level in (0, 1):
                # Faces below their interface, or above it.
                faces = (..., slice(0, -1) if level else slice(1, None))
                heat_factor, salt_factor = by_heat[cells][faces], by_salt[cells][faces]
                across = heat_factor * heat[faces] + salt_factor * salt[faces]
                upward = heat_factor * heat_z[cells] + salt_factor * salt_z[cells]
                slope = -across / (np.minimum(upward, 0.0) - 1e-20)
                kept = 0.5 * (1.0 + np.tanh((STEEP - np.abs(slope)) / WIDTH))
                share = np.maximum(LEAST, local[faces] * kept)
                mixed[faces] += between * is_open[faces] * share
                slopes[(*faces, side, level)] = kept * slope * is_open[faces]
                mix_z[cells] += 0.25 * local[faces] * kept * slope**2 * open_z[cells]
        mixed /= 4.0 * heights
    return slopes_x, slopes_y, mix_x, mix_y, mix_z


def side_of(axis, side):
    """The cells at one side of the faces between cells along an axis."""
    cells = slice(1, None) if side else slice(0, -1)
    return (cells, slice(None)) if axis == 0 else (slice(None), cells)
