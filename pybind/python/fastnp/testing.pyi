"""Types of `fastnp.testing`: NumPy's."""

from numpy.testing import *  # noqa: F403
