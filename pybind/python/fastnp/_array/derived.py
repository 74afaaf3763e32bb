"""Classes derived from `ndarray`: they derive from NumPy's array.

A user's array class relies on what NumPy does with it: `__array_finalize__`, `__array_wrap__`,
`__array_priority__`, elements of any type. So its objects are NumPy arrays, and NumPy runs every
operation on them. `ArrayType` replaces `ndarray` by `Derived` among the bases of such a class, and
makes it a subclass of `ndarray` for `issubclass`.

Methods of `Derived` convert arrays of ours to views of the same memory, and plain NumPy arrays
among the results to arrays of ours.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import FunctionType, MethodDescriptorType, MethodType, WrapperDescriptorType
from typing import Any

import numpy as _np

from fastnp._array import protocols
from fastnp._fallback.call import function_of, to_views
from fastnp._fastnp import UFUNCS, from_numpy, is_native, ndarray, unbound_method

__all__ = ["Derived", "method_of", "named", "unbound"]


def method_of(name: str) -> Callable[..., Any]:
    """NumPy's method of this name, for arrays of ours and of NumPy's."""
    return named(function_of(getattr(_np.ndarray, name), "ndarray." + name), name)


def named(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The function with the name, the doc and the signature of NumPy's method."""
    original = getattr(_np.ndarray, name)
    method.__name__ = name
    method.__qualname__ = "ndarray." + name
    method.__doc__ = original.__doc__
    method.__module__ = "fastnp"
    # `inspect.signature` follows this attribute.
    method.__wrapped__ = original  # type: ignore[attr-defined]
    return method


class _ForSuper:
    """A method that `super()` finds, while the attribute of the class is NumPy's.

    NumPy treats a class as overriding a protocol if its attribute differs from `numpy.ndarray`'s.
    """

    def __init__(self, name: str, ours: Callable[..., Any]) -> None:
        self.numpys = getattr(_np.ndarray, name)
        self.ours = ours

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self.numpys if instance is None else MethodType(self.ours, instance)


def _array_ufunc(self: Any, ufunc: Any, method: str, /, *inputs: Any, **kwargs: Any) -> Any:
    return protocols.array_ufunc(self, ufunc, method, inputs, kwargs)


def _with_ours(taken: Callable[..., Any]) -> Callable[..., Any]:
    """A class's `__array_ufunc__` that is called with our ufunc where NumPy passes its own."""

    @wraps(taken)
    def array_ufunc(self: Any, ufunc: Any, method: str, /, *inputs: Any, **kwargs: Any) -> Any:
        ours = UFUNCS.get(ufunc.__name__)
        known = ours is not None and getattr(_np, ufunc.__name__, None) is ufunc
        return taken(self, ours if known else ufunc, method, *inputs, **kwargs)

    return array_ufunc


def _array_function(self: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    # NumPy's own version: ours would dispatch to this class again.
    return protocols.implementation(func, types, args, kwargs)


class Derived(_np.ndarray):
    """Replaces `ndarray` among the bases of a class.

    Its name and its module say where it is: pickles of a class by value (cloudpickle) name it.
    """

    __array_ufunc__ = _ForSuper("__array_ufunc__", _array_ufunc)
    __array_function__ = _ForSuper("__array_function__", _array_function)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Pass our ufuncs to a class that overrides ufuncs, also where NumPy calls it."""
        super().__init_subclass__(**kwargs)
        taken = vars(cls).get("__array_ufunc__")
        if isinstance(taken, FunctionType):
            cls.__array_ufunc__ = _with_ours(taken)  # type: ignore[assignment]

    @property
    def base(self) -> Any:
        """The object that owns the memory of this array."""
        base = _np.ndarray.base.__get__(self)
        if type(base) is not _np.ndarray or not is_native(base.dtype):
            return base
        # The base of a view of our array is that array.
        ours = from_numpy(base)
        return ours.base if type(ours.base) is ndarray else ours


for _name, _value in vars(_np.ndarray).items():
    if callable(_value) and not _name.startswith("__"):
        setattr(Derived, _name, method_of(_name))


# NumPy's C code looks these up on every class and compares them with its own.
_NOT_REPLACED = ("__array_ufunc__", "__array_function__")
_IN_C = (MethodDescriptorType, WrapperDescriptorType)


def unbound() -> dict[str, Callable[..., Any]]:
    """The native methods as `ndarray.name` returns them: they accept derived classes too."""
    methods = {
        name: named(unbound_method(getattr(_np.ndarray, name), ours), name)
        for name, ours in vars(ndarray).items()
        if type(ours) in _IN_C and name not in _NOT_REPLACED and hasattr(_np.ndarray, name)
    }
    return {**methods, "__new__": _new}


_new_native = ndarray.__new__


def _new(cls: type, /, *args: Any, **kwargs: Any) -> Any:
    if cls is ndarray:
        return _new_native(ndarray, *args, **kwargs)
    # The result is not converted: it must be an object of `cls`.
    plain, named, _ = to_views(args, kwargs)
    return _np.ndarray.__new__(cls, *plain, **named)
