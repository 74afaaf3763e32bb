"""Types of `fastnp.lib.stride_tricks`: NumPy's."""

from numpy.lib.stride_tricks import *  # noqa: F403
