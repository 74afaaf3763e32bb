"""Types of `fastnp.lib`: NumPy's."""

from numpy.lib import *  # noqa: F403
