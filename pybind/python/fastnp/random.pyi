"""Types of `fastnp.random`: NumPy's."""

from numpy.random import *  # noqa: F403
