"""autograd: functions of arrays of ours are differentiated as those of NumPy's are.

It finds how to trace a value, and the space of its gradient, in tables by the value's class.
"""

from __future__ import annotations

from typing import Any

import numpy as _np

from fastnp._fastnp import ndarray

__all__ = ["register"]


def register() -> None:
    """Enter our class where NumPy's stands."""
    from autograd.core import VSpace
    from autograd.numpy.numpy_boxes import ArrayBox

    spaces: dict[type, Any] = VSpace.mappings
    ArrayBox.register(ndarray)
    VSpace.register(ndarray, spaces[_np.ndarray])
