"""Types of `fastnp.char`: NumPy's."""

from numpy.char import *  # noqa: F403
