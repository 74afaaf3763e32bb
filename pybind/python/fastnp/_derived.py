"""What a class derived from `ndarray` is: a class derived from NumPy's array.

A user's class of arrays is defined by what NumPy does with it: `__array_finalize__`,
`__array_wrap__`, `__array_priority__`, elements of any type. So its objects are NumPy's, and every
operation on them is NumPy's own. `ArrayType` puts `Derived` in the place of `ndarray` among the
bases of such a class, and counts it among the subclasses of `ndarray`.

Here is what makes the two worlds meet: arrays of ours go into the methods as views of the same
memory, and what comes out as a plain array is ours.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature  # NumPy has imported it
from types import FunctionType, MethodDescriptorType, MethodType, WrapperDescriptorType
from typing import Any

import numpy as _np

from fastnp import _protocols
from fastnp._fallback import NOT_NATIVE, call, opened, uncounted
from fastnp._fastnp import UFUNCS, from_numpy, is_native, ndarray

__all__ = ["Derived", "method_of", "named", "unbound"]


def method_of(name: str) -> Callable[..., Any]:
    """NumPy's method of this name on anything that is an array, ours or NumPy's."""
    descriptor = getattr(_np.ndarray, name)
    entry = "ndarray." + name

    def method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return call(descriptor, (self, *args), kwargs, entry, NOT_NATIVE)

    return named(method, name)


def named(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The function with the name, the doc and the signature of NumPy's method."""
    original = getattr(_np.ndarray, name)
    method.__name__ = name
    method.__qualname__ = "ndarray." + name
    method.__doc__ = original.__doc__
    method.__module__ = "fastnp"
    # `inspect.signature` follows it.
    method.__wrapped__ = original  # type: ignore[attr-defined]
    return method


class _ForSuper:
    """A method that `super()` finds while the class itself shows NumPy's.

    NumPy takes a class for one with rules of its own where the class's attribute is not the one of
    its array.
    """

    def __init__(self, name: str, ours: Callable[..., Any]) -> None:
        self.numpys = getattr(_np.ndarray, name)
        self.ours = ours

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self.numpys if instance is None else MethodType(self.ours, instance)


def _array_ufunc(self: Any, ufunc: Any, method: str, /, *inputs: Any, **kwargs: Any) -> Any:
    return _protocols.array_ufunc(self, ufunc, method, inputs, kwargs)


def _with_ours(taken: Callable[..., Any]) -> Callable[..., Any]:
    """A class's `__array_ufunc__` that gets our ufunc for NumPy's."""

    @wraps(taken)
    def array_ufunc(self: Any, ufunc: Any, method: str, /, *inputs: Any, **kwargs: Any) -> Any:
        ours = UFUNCS.get(ufunc.__name__)
        known = ours is not None and getattr(_np, ufunc.__name__, None) is ufunc
        return taken(self, ours if known else ufunc, method, *inputs, **kwargs)

    return array_ufunc


def _array_function(self: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    # Not our version of `func`, which would ask the class again.
    return _protocols.implementation(func, types, args, kwargs)


class Derived(_np.ndarray):
    """What stands for `ndarray` among the bases of a class."""

    __module__ = "fastnp"
    __array_ufunc__ = _ForSuper("__array_ufunc__", _array_ufunc)
    __array_function__ = _ForSuper("__array_function__", _array_function)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Let a class that takes ufuncs over see ours, also where NumPy calls them."""
        super().__init_subclass__(**kwargs)
        taken = vars(cls).get("__array_ufunc__")
        if isinstance(taken, FunctionType):
            cls.__array_ufunc__ = _with_ours(taken)  # type: ignore[assignment]

    @property
    def base(self) -> Any:
        """The object whose memory this array looks at."""
        base = _np.ndarray.base.__get__(self)
        if type(base) is not _np.ndarray or not is_native(base.dtype):
            return base
        # A view that was made of an array of ours names that one.
        ours = from_numpy(base)
        return ours.base if type(ours.base) is ndarray else ours


for _name, _value in vars(_np.ndarray).items():
    if callable(_value) and not _name.startswith("__"):
        setattr(Derived, _name, method_of(_name))


# What NumPy's C code asks every class for and calls itself; `super()` finds what is right.
_LEFT = ("__array_ufunc__", "__array_function__")
_IN_C = (MethodDescriptorType, WrapperDescriptorType)


def unbound() -> dict[str, Callable[..., Any]]:
    """The methods in C as `ndarray.name` gives them: they also take objects of derived classes."""
    methods = {
        name: _either(name, ours)
        for name, ours in vars(ndarray).items()
        if type(ours) in _IN_C and name not in _LEFT and hasattr(_np.ndarray, name)
    }
    return {**methods, "__new__": _new}


def _either(name: str, ours: Callable[..., Any]) -> Callable[..., Any]:
    numpys = getattr(_np.ndarray, name)

    def method(*args: Any, **kwargs: Any) -> Any:
        if args and type(args[0]) is not ndarray and isinstance(args[0], _np.ndarray):
            return uncounted(numpys, args, kwargs)
        return ours(*args, **kwargs)

    return named(method, name)


_made = ndarray.__new__


def _new(cls: type, /, *args: Any, **kwargs: Any) -> Any:
    if cls is ndarray:
        return _made(ndarray, *args, **kwargs)
    # The new object itself, also where it could be an array of ours.
    plain, named, _ = opened(args, kwargs)
    return _np.ndarray.__new__(cls, *plain, **named)


# `inspect.signature` reads the class's off this function, without its first argument.
_new.__signature__ = Signature(  # type: ignore[attr-defined]
    [Parameter("cls", Parameter.POSITIONAL_ONLY), *signature(_np.ndarray).parameters.values()]
)
