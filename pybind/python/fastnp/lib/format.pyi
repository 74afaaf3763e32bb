"""Types of `fastnp.lib.format`: NumPy's."""

from numpy.lib.format import *  # noqa: F403
