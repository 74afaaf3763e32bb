"""soxr: arrays of ours are resampled as NumPy's are.

It takes what is not of the class `numpy.ndarray` exactly for a list, which it converts to single
precision.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from fastnp._fastnp import ndarray, to_numpy

__all__ = ["register"]


def register() -> None:
    """Give these functions NumPy's views of our arrays."""
    import soxr

    soxr.resample = _with_views(soxr.resample)
    soxr.ResampleStream.resample_chunk = _with_views(soxr.ResampleStream.resample_chunk)


def _with_views(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        views = [to_numpy(x) if type(x) is ndarray else x for x in args]
        named = {k: to_numpy(x) if type(x) is ndarray else x for k, x in kwargs.items()}
        return function(*views, **named)

    return call
