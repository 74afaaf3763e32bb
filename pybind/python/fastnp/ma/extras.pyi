"""Types of `fastnp.ma.extras`: NumPy's."""

from numpy.ma.extras import *  # noqa: F403
