"""orjson: `dumps` with `OPT_SERIALIZE_NUMPY` takes arrays of ours.

It compares an object's type with `numpy.ndarray`, and asks `default` for an object that it does not
know. So `default` gives it NumPy's view of an array of ours, before the caller's own is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from fastnp._fastnp import ndarray, to_numpy

__all__ = ["register"]


def register() -> None:
    """Give `dumps` a `default` where it is to write arrays."""
    import orjson

    original, writes_arrays = orjson.dumps, orjson.OPT_SERIALIZE_NUMPY

    @wraps(original)
    def dumps(value: Any, /, default: Any = None, option: Any = None) -> Any:
        if type(option) is int and option & writes_arrays:
            default = _with_views(default)
        return original(value, default, option)

    orjson.dumps = dumps


def _with_views(default: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    def view_or_default(value: Any) -> Any:
        if type(value) is ndarray:
            return to_numpy(value)
        if default is None:
            raise TypeError
        return default(value)

    return view_or_default
