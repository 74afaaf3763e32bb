"""Pickling: an array goes as the NumPy view of its memory, out of band under protocol 5, and comes
back as ours.
"""

from __future__ import annotations

from typing import Any

from fastnp._fastnp import from_numpy, ndarray, to_numpy

__all__ = ["reduce", "restore"]


def reduce(x: Any) -> tuple[Any, ...]:
    """What `ndarray.__reduce_ex__` returns, whatever the protocol: NumPy's array sees to that."""
    if type(x) is ndarray:
        return restore, (to_numpy(x),)
    return restore, (to_numpy(x), type(x)), getattr(x, "__dict__", None) or None


def restore(values: Any, kind: type | None = None) -> Any:
    """The array a pickle holds."""
    x = from_numpy(values)
    return x if kind is None else x.view(kind)
