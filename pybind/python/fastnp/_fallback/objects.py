"""NumPy's `r_`, `c_`, `mgrid` and `ogrid`, with arrays of ours in and out."""

from __future__ import annotations

import sys
from typing import Any

import numpy as _np

from fastnp._fallback.call import from_views, to_views
from fastnp._fastnp import concatenate, ndarray
from fastnp._pickle import named

__all__ = ["IndexObject"]


class IndexObject:
    """`r_`, `c_`, `mgrid` or `ogrid`: NumPy's object, called by indexing."""

    def __init__(self, original: Any, name: str) -> None:
        self._original = original
        self._name = name
        self.__doc__ = original.__doc__

    def __getitem__(self, key: Any) -> Any:
        if type(key) is str and self._name in ("r_", "c_"):
            # Names of matrices, which NumPy looks up in its caller.
            caller = sys._getframe(1)
            return _np.bmat(key, caller.f_globals, caller.f_locals)
        if type(key) is tuple and self._name in ("r_", "c_") and _are_vectors(key):
            if self._name == "r_":
                return concatenate(key)
            return concatenate([part[:, None] for part in key], 1)
        keys = key if isinstance(key, tuple) else (key,)
        plain, _, views = to_views(keys, {})
        result = self._original[tuple(plain) if isinstance(key, tuple) else plain[0]]
        return from_views(result, views)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_original"], name)

    def __len__(self) -> int:
        return 0

    def __reduce__(self) -> Any:
        return named, (self._name,)


def _are_vectors(parts: tuple[Any, ...]) -> bool:
    """Whether there are some, and all are vectors of ours."""
    return bool(parts) and all(type(part) is ndarray and part.ndim == 1 for part in parts)
