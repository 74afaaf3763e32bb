"""Types of `fastnp.exceptions`: NumPy's."""

from numpy.exceptions import *  # noqa: F403
