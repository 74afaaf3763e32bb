"""Types of `fastnp.polynomial.chebyshev`: NumPy's."""

from numpy.polynomial.chebyshev import *  # noqa: F403
