"""Types of `fastnp.polynomial.laguerre`: NumPy's."""

from numpy.polynomial.laguerre import *  # noqa: F403
