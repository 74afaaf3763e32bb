"""`ndarray.setflags`, which setting an attribute of `ndarray.flags` calls too: that is an object of
NumPy's, made by the extension on each access of the attribute. Reading it computes nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as _np

from fastnp._fastnp import layout_flags, ndarray, set_writeable

__all__ = ["set_flags"]

_REFUSED = "cannot set WRITEABLE flag to True of this array"


def set_flags(x: Any, write: Any = None, align: Any = None, uic: Any = None) -> None:
    """The implementation of `ndarray.setflags`."""
    if uic:
        raise ValueError("cannot set WRITEBACKIFCOPY flag to True")
    if write is None:
        return
    if write and not layout_flags(x)[2] and not _may_write(x):
        raise ValueError(_REFUSED)
    set_writeable(x, bool(write))


def _may_write(x: Any) -> bool:
    """Whether the array may be made writeable: whether one of its bases is."""
    base = x.base
    if base is None:
        # The array owns its memory.
        return True
    while isinstance(base, (ndarray, _np.ndarray)):
        if base.flags.writeable:
            return True
        if base.base is None:
            return False
        base = base.base
    try:
        return not memoryview(base).readonly
    except TypeError:
        return False
