"""Types of `fastnp.typing`: NumPy's."""

from numpy.typing import *  # noqa: F403
