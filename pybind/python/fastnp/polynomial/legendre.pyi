"""Types of `fastnp.polynomial.legendre`: NumPy's."""

from numpy.polynomial.legendre import *  # noqa: F403
