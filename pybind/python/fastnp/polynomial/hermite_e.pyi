"""Types of `fastnp.polynomial.hermite_e`: NumPy's."""

from numpy.polynomial.hermite_e import *  # noqa: F403
