"""Types of `fastnp.polynomial.polynomial`: NumPy's."""

from numpy.polynomial.polynomial import *  # noqa: F403
