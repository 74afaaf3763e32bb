"""scipy.fft: with `scipy.fft.set_backend(fastnp.fft)` our transforms run for scipy's of their name.

Source: uarray's protocol (`__ua_domain__`, `__ua_function__`). scipy's other transforms, and
arguments that `numpy.fft` does not have, are left to scipy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

__all__ = ["register"]

_ONE_AXIS = frozenset("fft ifft rfft irfft hfft ihfft".split())
_SEVERAL_AXES = frozenset("fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn".split())


def register() -> None:
    """Make `fastnp.fft` a backend of scipy's."""
    module = import_module("fastnp.fft")

    def run(method: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        name = method.__name__
        ours = _plain(name, *args, **kwargs)
        return NotImplemented if ours is None else getattr(module, name)(*ours)

    module.__dict__["__ua_domain__"] = "numpy.scipy.fft"
    module.__dict__["__ua_function__"] = run


def _plain(name: str, x: Any, *args: Any, **kwargs: Any) -> tuple[Any, ...] | None:
    """The arguments of our function; None for what it does not take."""
    if name in _ONE_AXIS:
        return _of_one_axis(x, *args, **kwargs)
    if name in _SEVERAL_AXES:
        last_two = name.endswith("2")
        return _of_several_axes(x, *args, **{"axes": (-2, -1), **kwargs} if last_two else kwargs)
    return None


def _of_one_axis(
    x: Any,
    n: Any = None,
    axis: Any = -1,
    norm: Any = None,
    overwrite_x: Any = False,
    workers: Any = None,
    *,
    plan: Any = None,
) -> tuple[Any, ...] | None:
    return None if plan is not None else (x, n, axis, norm)


def _of_several_axes(
    x: Any,
    s: Any = None,
    axes: Any = None,
    norm: Any = None,
    overwrite_x: Any = False,
    workers: Any = None,
    *,
    plan: Any = None,
) -> tuple[Any, ...] | None:
    if plan is not None:
        return None
    if s is not None and axes is None:
        axes = tuple(range(-len(s), 0))
    return x, s, axes, norm
