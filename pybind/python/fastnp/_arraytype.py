"""The metaclass of `ndarray`: NumPy's own arrays count as instances too.

The extension makes the class without it, for want of a way to say so, and `_methods` sets it.

Arrays of types the engine does not compute with (strings, objects, dates, records) are plain NumPy
arrays, and so are its subclasses; a program that asks `isinstance(x, np.ndarray)` means them as
well. `type(x) is np.ndarray` holds for ours alone. An exact instance never gets here: Python
compares the types first.
"""

from __future__ import annotations

from typing import Any

import numpy as _np


class ArrayType(type):
    """What `type(fastnp.ndarray)` is; it adds nothing to how `type` is laid out."""

    __slots__ = ()

    def __instancecheck__(cls, value: Any) -> bool:
        if type.__instancecheck__(cls, value):
            return True
        # A subclass of ours keeps its own meaning.
        return (
            cls.__module__ == "fastnp"
            and cls.__name__ == "ndarray"
            and isinstance(value, _np.ndarray)
        )
