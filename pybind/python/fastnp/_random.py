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
from fastnp._fastnp import ran
from fastnp._registry import NATIVE

__all__ = ["Generator", "RandomState", "function"]

# State passes as NumPy gives it: it is for handing back, not for computing with.
_STATE = frozenset({"get_state", "set_state", "seed"})
# What concerns the object rather than what it draws.
_OWN = frozenset({"bit_generator", "spawn"})
_GLOBAL = frozenset({"get_bit_generator", "set_bit_generator"})


def _draw(original: Callable[..., Any], name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not args and not kwargs:
            result = original(self._plain)
            return result if type(result) is float else closed(result, [])
        if name == "shuffle" and type(args[0]) is list:
            # In place, so it has to be the list itself.
            return original(self._plain, *args, **kwargs)
        plain, named, seen = opened(args, kwargs)
        return closed(ran(original, (self._plain, *plain), named), seen)

    return _dressed(method, original, name)


def _state(original: Callable[..., Any], name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return original(self._plain, *args, **kwargs)

    return _dressed(method, original, name)


def _dressed(method: Any, original: Callable[..., Any], name: str) -> Callable[..., Any]:
    method.__name__ = name
    method.__qualname__ = original.__qualname__
    method.__doc__ = original.__doc__
    method.__wrapped__ = original
    return method


def _methods(kind: type) -> dict[str, Any]:
    return {
        name: (_state if name in _STATE else _draw)(value, name)
        for name, value in vars(kind).items()
        if not name.startswith("_") and name not in _OWN and callable(value)
    }


# NumPy's methods call one another through `self` and reckon with NumPy's arrays, so they run on a
# plain generator beside ours; the two share the bit generator, and the plain one keeps what else
# there is of state.


class Generator(_random.Generator):
    __doc__ = _random.Generator.__doc__

    def __init__(self, bit_generator: Any) -> None:
        super().__init__(bit_generator)
        self._plain = _random.Generator(bit_generator)

    def __reduce__(self) -> Any:
        return type(self), (self.bit_generator,)


class RandomState(_random.RandomState):
    __doc__ = _random.RandomState.__doc__

    def __init__(self, seed: Any = None) -> None:
        plain, _, _ = opened((seed,), {})
        super().__init__(*plain)
        self._plain = _random.RandomState(self._bit_generator)

    def __getstate__(self) -> Any:
        return self._plain.get_state(legacy=False)

    def __setstate__(self, state: Any) -> None:
        self._plain.set_state(state)

    def __reduce__(self) -> Any:
        return type(self), (self._bit_generator,), self.__getstate__()


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
    if name in _STATE or name in _GLOBAL or type(value) is FunctionType:
        return value
    if name == "shuffle":
        return wrap(value, name, _shuffled, module="fastnp.random")
    return wrap(value, name, uncounted, module="fastnp.random")


def _shuffled(func: Callable[..., Any], args: Any, kwargs: Any, *_: str) -> Any:
    if args and type(args[0]) is list:
        return func(*args, **kwargs)
    return uncounted(func, args, kwargs)
