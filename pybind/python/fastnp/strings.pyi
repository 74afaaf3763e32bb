"""Types of `fastnp.strings`: NumPy's."""

from numpy.strings import *  # noqa: F403
