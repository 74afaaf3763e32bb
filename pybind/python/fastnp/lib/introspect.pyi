"""Types of `fastnp.lib.introspect`: NumPy's."""

from numpy.lib.introspect import *  # noqa: F403
