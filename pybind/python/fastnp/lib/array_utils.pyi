"""Types of `fastnp.lib.array_utils`: NumPy's."""

from numpy.lib.array_utils import *  # noqa: F403
