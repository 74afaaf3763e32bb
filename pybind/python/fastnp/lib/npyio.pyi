"""Types of `fastnp.lib.npyio`: NumPy's."""

from numpy.lib.npyio import *  # noqa: F403
