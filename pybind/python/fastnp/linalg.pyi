"""Types of `fastnp.linalg`: NumPy's."""

from numpy.linalg import *  # noqa: F403
