"""Pickling: an array goes as the NumPy view of its memory, out of band under protocol 5, and comes
back as ours.
"""

from __future__ import annotations

from typing import Any

from fastnp._fastnp import from_numpy, to_numpy

__all__ = ["reduce", "restore"]


def reduce(x: Any) -> tuple[Any, ...]:
    """What `ndarray.__reduce_ex__` returns, whatever the protocol: NumPy's array sees to that."""
    return restore, (to_numpy(x),)


def restore(values: Any) -> Any:
    """The array a pickle holds."""
    return from_numpy(values)
