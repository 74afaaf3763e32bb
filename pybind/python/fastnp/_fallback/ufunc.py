"""Ufuncs that are not in the op table: objects that run NumPy's ufunc through the fallback, with
its methods and attributes. Also the docs of the ufuncs that are in the table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as _np

from fastnp import _fastnp


class _Doc:
    """`ufunc.__doc__`: the doc of NumPy's ufunc, which may be set."""

    def __get__(self, ufunc: Any, kind: type | None = None) -> Any:
        return _np.ufunc.__doc__ if ufunc is None else ufunc._original.__doc__

    def __set__(self, ufunc: Any, doc: Any) -> None:
        ufunc._original.__doc__ = doc

    def __delete__(self, ufunc: Any) -> None:
        del ufunc._original.__doc__


# PyO3 classes cannot declare a doc for each instance.
_fastnp.ufunc.__doc__ = _Doc()  # type: ignore[assignment]


def foreign(original: _np.ufunc, native: Callable[..., Any] | None = None, few: int = 0) -> Any:
    """A ufunc that runs in NumPy, with its methods and attributes; calls run `native`, if that is
    given, but for those of ready arrays of at most `few` elements.
    """
    ours = _fastnp.numpy_ufunc(original, native, few)
    ours.__doc__ = original.__doc__
    return ours
