"""The metaclass of `ndarray`: NumPy's own arrays count as instances, and their classes as derived.

The extension makes the class without it, for want of a way to say so, and `_methods` sets it.

Arrays of types the engine does not compute with (strings, objects, dates, records) are plain NumPy
arrays, and so are its subclasses; a program that asks `isinstance(x, np.ndarray)` means them as
well. `type(x) is np.ndarray` holds for ours alone. An exact instance never gets here: Python
compares the types first.

The other way round, our arrays count as NumPy's because `x.__class__` is `numpy.ndarray`, which
`isinstance` believes. `functools.singledispatch` goes by that attribute, so `numpy.ndarray` has to
count as derived from ours for a function registered for `fastnp.ndarray` to be found. Inside this
package, where the layout in memory matters, `is_ours` is what to ask.
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
        return cls._is_base() and isinstance(value, _np.ndarray)

    def __subclasscheck__(cls, kind: Any) -> bool:
        if type.__subclasscheck__(cls, kind):
            return True
        return cls._is_base() and issubclass(kind, _np.ndarray)

    def _is_base(cls) -> bool:
        # A subclass of ours keeps its own meaning.
        return cls.__module__ == "fastnp" and cls.__name__ == "ndarray"
