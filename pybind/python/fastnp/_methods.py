"""What `ndarray` is besides what the extension computes: the rest of NumPy's methods, each of which
runs NumPy's own on a view of the same memory, and the metaclass.

They are attributes of the class, not answers of `__getattr__`: `super().sort()` and
`np.ndarray.sort(x)` find them, and an attribute that exists is looked up as fast as Python can.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as _np

from fastnp import _fastnp
from fastnp._arraytype import ArrayType
from fastnp._fallback import NOT_NATIVE, call, is_ours
from fastnp._fastnp import from_numpy, ndarray, replace, to_numpy
from fastnp._flags import set_flags


def _method(name: str) -> Callable[..., Any]:
    descriptor = getattr(_np.ndarray, name)
    entry = "ndarray." + name

    def method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return call(descriptor, (self, *args), kwargs, entry, NOT_NATIVE)

    return _named(method, name)


def _named(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    method.__name__ = name
    method.__qualname__ = "ndarray." + name
    original = getattr(_np.ndarray, name)
    method.__doc__ = original.__doc__
    method.__module__ = "fastnp"
    method.__wrapped__ = original  # type: ignore[attr-defined]  # where its signature is looked up
    return method


def _flat(self: Any) -> Any:
    from fastnp._iterators import flatiter

    return flatiter(self)


def _set_flat(self: Any, value: Any) -> None:
    call(_assign_flat, (self, value), {}, "ndarray.flat", NOT_NATIVE)


def _assign_flat(view: Any, value: Any) -> None:
    view.flat = value


def _resize(self: Any, /, *new_shape: Any, refcheck: bool = True) -> None:
    if not new_shape or new_shape == (None,):
        return
    if self.base is not None:
        raise ValueError("cannot resize this array: it does not own its data")
    # NumPy counts references to find out whether a view would be left without memory; here a view
    # keeps the memory it looks at.
    memory = to_numpy(self).copy(order="A")
    memory.resize(*new_shape, refcheck=False)
    replace(self, from_numpy(memory))


def _setflags(self: Any, write: Any = None, align: Any = None, uic: Any = None) -> None:
    set_flags(self, write, align, uic)


def _array_finalize(self: Any, source: Any, /) -> None:
    return None


def _array_wrap(self: Any, array: Any, context: Any = None, return_scalar: bool = False, /) -> Any:
    if return_scalar and array.ndim == 0:
        return array[()]
    if type(self) is type(array):
        return array
    plain = from_numpy(array) if isinstance(array, _np.ndarray) and _ours(array) else array
    if not is_ours(type(plain)):
        return array
    return _fastnp.derive(type(self), plain, self)


def _ours(array: Any) -> bool:
    return type(array) is _np.ndarray and _fastnp.is_native(array.dtype)


def _to_numpy(self: Any, dtype: Any = None, copy: Any = False, na_value: Any = None) -> Any:
    """The NumPy array of the same memory, or a copy; for whoever takes nothing but `numpy.ndarray`.

    The arguments are those under which pandas calls a method of this name.
    """
    return _np.array(to_numpy(self), dtype, copy=bool(copy) or None)


_OURS: dict[str, Callable[..., Any]] = {
    "resize": _resize,
    "setflags": _setflags,
    "__array_finalize__": _array_finalize,
    "__array_wrap__": _array_wrap,
}

# Of Python's own protocol, what `object` answers as well or what makes no sense on a view.
_LEFT = frozenset(
    """
    __class__ __doc__ __new__ __init__ __init_subclass__ __subclasshook__ __getattribute__ __dir__
    __setattr__ __delattr__ __hash__ __reduce__ __reduce_ex__ __sizeof__ __setstate__ __getstate__
    """.split()
)


def install() -> None:
    """Give the class of the extension everything NumPy's has."""
    own = vars(ndarray)
    for name, value in vars(_np.ndarray).items():
        if name in own or name in _LEFT:
            continue
        if name in _OURS:
            setattr(ndarray, name, _named(_OURS[name], name))
        elif name == "__class_getitem__":
            setattr(ndarray, name, classmethod(_generic))
        elif callable(value):
            setattr(ndarray, name, _method(name))
    ndarray.flat = property(_flat, _set_flat, doc=_np.ndarray.flat.__doc__)
    ndarray.__doc__ = _np.ndarray.__doc__
    ndarray.to_numpy = _to_numpy
    # By this pandas knows its own wrapper of a NumPy array, which it opens with `to_numpy` before
    # it keeps anything: its compiled code takes NumPy's arrays alone.
    ndarray._typ = "npy_extension"
    _fastnp.set_metaclass(ArrayType)


def _generic(cls: type, item: Any) -> Any:
    from types import GenericAlias

    count = len(item) if type(item) is tuple else 1
    if not 1 <= count <= 2:
        message = "many" if count else "few"
        raise TypeError(f"Too {message} arguments for {cls.__module__}.{cls.__name__}")
    return GenericAlias(cls, item)


install()
