"""Types of `fastnp.dtypes`: NumPy's."""

from numpy.dtypes import *  # noqa: F403
