"""Types of `fastnp.lib.mixins`: NumPy's."""

from numpy.lib.mixins import *  # noqa: F403
