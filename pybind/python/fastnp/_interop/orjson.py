"""orjson: `dumps` with `OPT_SERIALIZE_NUMPY` takes arrays of ours. So does ormsgpack's `packb` by
`taking_arrays`, as its arguments are the same.

They compare an object's type with `numpy.ndarray`, and ask `default` for an object that they do not
know. So `default` gives them NumPy's view of an array of ours, before the caller's own is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from fastnp._fastnp import ndarray, to_numpy

__all__ = ["register", "taking_arrays"]


def register() -> None:
    """Let `dumps` take arrays of ours."""
    import orjson

    orjson.dumps = taking_arrays(orjson.dumps, orjson.OPT_SERIALIZE_NUMPY)


def taking_arrays(encode: Callable[..., Any], writes_arrays: int) -> Callable[..., Any]:
    """The function `encode`, with a `default` where the option `writes_arrays` is given."""

    @wraps(encode)
    def call(obj: Any, /, default: Any = None, option: Any = None) -> Any:
        if type(option) is int and option & writes_arrays:
            default = _with_views(default)
        return encode(obj, default, option)

    return call


def _with_views(default: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    def view_or_default(value: Any) -> Any:
        if type(value) is ndarray:
            return to_numpy(value)
        if default is None:
            raise TypeError
        return default(value)

    return view_or_default
