"""Types of `fastnp.polynomial.hermite`: NumPy's."""

from numpy.polynomial.hermite import *  # noqa: F403
