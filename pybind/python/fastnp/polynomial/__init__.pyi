"""Types of `fastnp.polynomial`: NumPy's."""

from numpy.polynomial import *  # noqa: F403
