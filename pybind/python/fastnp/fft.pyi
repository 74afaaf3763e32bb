"""Types of `fastnp.fft`: NumPy's."""

from numpy.fft import *  # noqa: F403
