"""Types of `fastnp.ma`: NumPy's."""

from numpy.ma import *  # noqa: F403
