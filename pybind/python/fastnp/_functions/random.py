"""`fastnp.random`: NumPy's generators, bit for bit, with arrays of ours as arguments and results.

The generators are subclasses of NumPy's, so other libraries accept them. All numbers come from
NumPy's bit generators and distributions, which is not counted as a fallback; the usual draws with
numbers as parameters go straight into arrays of ours.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy.random as _random

from fastnp._fallback.call import described, to_views, uncounted
from fastnp._fallback.registry import NATIVE
from fastnp._fastnp import draw_function, numpy_function

__all__ = ["Generator", "RandomState", "function"]

# Methods whose arguments and results are a generator's state, which is not converted.
_STATE = frozenset({"get_state", "set_state", "seed"})
# Methods that write to their argument, which may be a list.
_IN_PLACE = frozenset({"shuffle"})
# Methods with native draws, which take numbers as parameters; with others they are NumPy's as well.
_NATIVE: dict[type, frozenset[str]] = {
    _random.Generator: frozenset(
        "random uniform standard_normal normal standard_exponential exponential integers".split()
    ),
    _random.RandomState: frozenset(
        "random random_sample rand randn uniform standard_normal normal standard_exponential "
        "exponential randint shuffle permutation choice".split()
    ),
}
# Attributes that draw nothing.
_OWN = frozenset({"bit_generator", "spawn"})
_GLOBAL = frozenset({"get_bit_generator", "set_bit_generator"})


def _drawing(original: Callable[..., Any], name: str, slot: Any, kind: type) -> Any:
    """The function that draws as a method of NumPy's class `kind`; of its global generator without
    a `slot`, in which objects keep NumPy's.
    """
    if name in _NATIVE[kind]:
        return draw_function(original, slot, name, kind, name in _IN_PLACE)
    return numpy_function(original, original, None, None, slot, name in _IN_PLACE, None)


def _draw(original: Callable[..., Any], name: str, slot: Any, kind: type) -> Callable[..., Any]:
    return _described(_drawing(original, name, slot, kind), original, name)


def _state(original: Callable[..., Any], name: str, _slot: Any, _kind: type) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return original(self._plain, *args, **kwargs)

    return _described(method, original, name)


def _described(method: Any, original: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The method with the name, doc and signature of NumPy's."""
    method.__name__ = name
    method.__qualname__ = original.__qualname__
    method.__doc__ = original.__doc__
    method.__wrapped__ = original
    return method


def _methods(kind: type, slot: Any) -> dict[str, Any]:
    """Our versions of the methods of NumPy's class; `slot` is where our objects keep NumPy's."""
    return {
        name: (_state if name in _STATE else _draw)(value, name, slot, kind)
        for name, value in vars(kind).items()
        if not name.startswith("_") and name not in _OWN and callable(value)
    }


# NumPy's methods call each other through `self` and expect NumPy's arrays, so they run on a NumPy
# generator kept in ours. Both share the bit generator; all other state is the NumPy generator's.


class Generator(_random.Generator):
    # Without a dictionary, as NumPy's are.
    __slots__ = ("_plain",)
    __doc__ = _random.Generator.__doc__

    def __init__(self, bit_generator: Any) -> None:
        super().__init__(bit_generator)
        self._plain = _random.Generator(bit_generator)

    def __reduce__(self) -> Any:
        return type(self), (self.bit_generator,)


class RandomState(_random.RandomState):
    __slots__ = ("_plain",)
    __doc__ = _random.RandomState.__doc__

    def __init__(self, seed: Any = None) -> None:
        plain, _, _ = to_views((seed,), {})
        super().__init__(*plain)
        self._plain = _random.RandomState(self._bit_generator)

    def __getstate__(self) -> Any:
        return self._plain.get_state(legacy=False)

    def __setstate__(self, state: Any) -> None:
        self._plain.set_state(state)

    def __reduce__(self) -> Any:
        return type(self), (self._bit_generator,), self.__getstate__()


for _kind, _base in ((Generator, _random.Generator), (RandomState, _random.RandomState)):
    for _name, _method in _methods(_base, vars(_kind)["_plain"]).items():
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
    """The version of a function of `numpy.random`, which draws from NumPy's global state."""
    if value is _random.default_rng:
        return default_rng
    if name in _STATE or name in _GLOBAL or type(value) is FunctionType:
        return value
    wrapped = described(
        _drawing(value, name, None, _random.RandomState), value, name, "fastnp.random"
    )
    # NumPy's are methods of the global generator. Functions are pickled by their qualified names.
    wrapped.__qualname__ = name
    return wrapped
