"""Types of `fastnp.ctypeslib`: NumPy's."""

from numpy.ctypeslib import *  # noqa: F403
