"""Types of `fastnp.ma.core`: NumPy's."""

from numpy.ma.core import *  # noqa: F403
