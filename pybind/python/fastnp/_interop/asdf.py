"""asdf: arrays of ours are written to files as NumPy's are.

It finds how to write a value by the value's class. Source: `asdf.extension._manager`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as _np

from fastnp._fastnp import ndarray

__all__ = ["register"]


def register() -> None:
    """Look NumPy's class up where ours is asked for.

    An extension of ours, which asdf has an interface for, would be named in the file, and readers
    without it would warn.
    """
    manager: Any = sys.modules["asdf.extension._manager"].ExtensionManager
    for name in ("handles_type", "get_converter_for_type"):
        setattr(manager, name, _of_numpys_class(getattr(manager, name)))


def _of_numpys_class(look_up: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(look_up)
    def call(manager: Any, typ: type) -> Any:
        return look_up(manager, _np.ndarray if typ is ndarray else typ)

    return call
