"""h5py: methods whose compiled code hands an array's memory to the system and does not look at its
shape before.

Pending contents are computed when code reads an array's shape or its elements. The system cannot
cause that: it refuses the address (`OSError: Bad address`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from fastnp._fastnp import ndarray, to_numpy

__all__ = ["register"]


def register() -> None:
    """Compute the arrays that these methods are given."""
    from h5py._hl.dataset import Dataset

    for name in ("__setitem__", "read_direct", "write_direct"):
        setattr(Dataset, name, _with_views(getattr(Dataset, name)))


def _with_views(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(dataset: Any, *args: Any, **kwargs: Any) -> Any:
        views = [to_numpy(x) if type(x) is ndarray else x for x in args]
        named = {k: to_numpy(x) if type(x) is ndarray else x for k, x in kwargs.items()}
        return method(dataset, *views, **named)

    return call
