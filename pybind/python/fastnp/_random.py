"""`fastnp.random`: NumPy's generators, bit for bit, with arrays of ours for results and arguments.

The generators are subclasses of NumPy's, so `isinstance` holds wherever a library asks for one.
Drawing in NumPy is what is meant here, so it is not counted as a fallback.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy.random as _random

from fastnp._fallback import closed, opened, uncounted, wrap
from fastnp._registry import NATIVE

__all__ = ["Generator", "RandomState", "function"]

# State passes as NumPy gives it: it is for handing back, not for computing with.
_STATE = frozenset(
    {"get_state", "set_state", "seed", "spawn", "get_bit_generator", "set_bit_generator"}
)


def _draw(original: Callable[..., Any], name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not args and not kwargs:
            result = original(self)
            return result if type(result) is float else closed(result, [])
        plain, named, seen = opened(args, kwargs)
        return closed(original(self, *plain, **named), seen)

    method.__name__ = name
    method.__qualname__ = original.__qualname__
    method.__doc__ = original.__doc__
    method.__wrapped__ = original  # type: ignore[attr-defined]
    return method


def _methods(kind: type) -> dict[str, Any]:
    return {
        name: _draw(value, name)
        for name, value in vars(kind).items()
        if not name.startswith("_") and name not in _STATE and callable(value)
    }


class Generator(_random.Generator):
    __doc__ = _random.Generator.__doc__

    def __reduce__(self) -> Any:
        return type(self), (self.bit_generator,)


class RandomState(_random.RandomState):
    __doc__ = _random.RandomState.__doc__

    def __reduce__(self) -> Any:
        _, args, state = super().__reduce__()
        return type(self), args, state


for _kind, _base in ((Generator, _random.Generator), (RandomState, _random.RandomState)):
    for _name, _method in _methods(_base).items():
        setattr(_kind, _name, _method)
    _kind.__module__ = "fastnp.random"


def default_rng(seed: Any = None) -> Any:
    if isinstance(seed, Generator):
        return seed
    made = uncounted(_random.default_rng, (seed,), {})
    return Generator(made.bit_generator) if type(made) is _random.Generator else made


default_rng.__doc__ = _random.default_rng.__doc__
default_rng.__module__ = "fastnp.random"
NATIVE[_random.default_rng] = default_rng


def function(value: Callable[..., Any], name: str) -> Any:
    """What stands for a function of `numpy.random`: a draw from NumPy's own global state."""
    if value is _random.default_rng:
        return default_rng
    if name in _STATE or type(value) is FunctionType:
        return value
    return wrap(value, name, uncounted, module="fastnp.random")
