"""Ufuncs that are not in the op table: objects that run NumPy's ufunc through the fallback, with
its methods and attributes. Also the docs of the ufuncs that are in the table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as _np

from fastnp import _fastnp
from fastnp._fallback.call import NOT_NATIVE, call
from fastnp._fallback.override import dispatch_ufunc, has_override

_METHODS = frozenset({"reduce", "accumulate", "reduceat", "outer", "at"})


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


class ForeignUfunc:
    """A ufunc that runs in NumPy; `isinstance(x, fastnp.ufunc)` holds for it."""

    def __init__(self, original: _np.ufunc) -> None:
        self._original = original
        self.__name__ = original.__name__
        self.__doc__ = original.__doc__

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return _fastnp.ufunc

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if has_override(self._original, args, kwargs):
            return dispatch_ufunc(self, self._original, "__call__", args, kwargs)
        return call(self._original, args, kwargs, self.__name__, NOT_NATIVE)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.__dict__["_original"], name)
        if name not in _METHODS:
            return value

        def method(*args: Any, **kwargs: Any) -> Any:
            if has_override(self._original, args, kwargs):
                return dispatch_ufunc(self, self._original, name, args, kwargs)
            return call(value, args, kwargs, f"{self.__name__}.{name}", NOT_NATIVE)

        return method

    def __eq__(self, other: object) -> bool:
        """Equal to NumPy's ufunc, with its hash: libraries look ufuncs up in tables."""
        return other is self or other is self._original

    def __hash__(self) -> int:
        return hash(self._original)

    def __repr__(self) -> str:
        return repr(self._original)

    def __reduce__(self) -> str | tuple[Any, ...]:
        from fastnp._pickle import named

        return named, (self.__name__,)


class NativeUfunc(ForeignUfunc):
    """A ufunc outside the op table whose call has a native version; its methods run in NumPy."""

    def __init__(self, original: _np.ufunc, native: Callable[..., Any]) -> None:
        super().__init__(original)
        self._native = native

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._native(*args, **kwargs)
