"""Types of `fastnp.rec`: NumPy's."""

from numpy.rec import *  # noqa: F403
