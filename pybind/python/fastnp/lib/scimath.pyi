"""Types of `fastnp.lib.scimath`: NumPy's."""

from numpy.lib.scimath import *  # noqa: F403
