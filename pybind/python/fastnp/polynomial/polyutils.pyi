"""Types of `fastnp.polynomial.polyutils`: NumPy's."""

from numpy.polynomial.polyutils import *  # noqa: F403
