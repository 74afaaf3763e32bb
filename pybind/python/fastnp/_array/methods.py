"""The methods of `ndarray` that are not native, and its metaclass, added to the extension's class.

Most run NumPy's method on a view of the same memory. They are attributes of the class, rather than
results of `__getattr__`, so `super().sort()` and `np.ndarray.sort(x)` find them, by Python's fast
path of attribute lookup.
"""

from __future__ import annotations

import math
import operator
import sys
from abc import ABCMeta
from collections.abc import Callable
from typing import Any

import numpy as _np

from fastnp import _fastnp
from fastnp._array.derived import method_of, named
from fastnp._array.flags import set_flags
from fastnp._array.metaclass import ArrayType, UfuncType
from fastnp._fallback.call import NOT_NATIVE, call, uncounted
from fastnp._fastnp import UFUNCS, adopt, ndarray, replace, to_numpy

# `Py_TPFLAGS_SEQUENCE`: patterns in brackets match objects of the class.
_SEQUENCE = 1 << 5

# `Py_TPFLAGS_HAVE_GC`: `sys.getsizeof` adds the header of Python's collector, which NumPy's arrays
# do not have.
_HAVE_GC = 1 << 14
_HEADER = sys.getsizeof([]) - [].__sizeof__() if ndarray.__flags__ & _HAVE_GC else 0

# NumPy's limit, of its old iterator.
FLAT_DIMENSIONS = 32


def _flat(self: Any) -> Any:
    from fastnp._array.flatiter import flatiter

    if self.ndim > FLAT_DIMENSIONS:
        raise RuntimeError(
            f"this function only supports up to {FLAT_DIMENSIONS} dimensions but the array has "
            f"{self.ndim}."
        )
    return flatiter(self)


def _set_flat(self: Any, value: Any) -> None:
    call(_assign_flat, (self, value), {}, "ndarray.flat", NOT_NATIVE)


def _assign_flat(view: Any, value: Any) -> None:
    view.flat = value


def _resize(self: Any, /, *new_shape: Any, refcheck: bool = True) -> None:
    operator.index(refcheck)
    if not new_shape or new_shape == (None,):
        return
    rows, columns = self.flags.c_contiguous, self.flags.f_contiguous
    if not rows and not columns:
        raise ValueError("resize only works on single-segment arrays")
    # Elements without bytes: NumPy checks the shape and allocates nothing.
    wanted = _np.empty(0, "V0")
    wanted.resize(*new_shape, refcheck=False)
    if math.prod(wanted.shape) == self.size:
        # Only the shape changes, in the order of the memory, which may have other views.
        if rows:
            self.shape = wanted.shape
        else:
            replace(self, self.T.reshape(wanted.shape[::-1]).T)
        return
    if self.base is not None:
        raise ValueError("cannot resize this array: it does not own its data")
    # NumPy counts references to find views whose memory would be freed. Here a view keeps its
    # memory alive, so that check is not needed.
    memory = to_numpy(self).copy(order="A")
    memory.resize(wanted.shape, refcheck=False)
    replace(self, adopt(memory))


def _sizeof(self: Any, /) -> int:
    # As NumPy counts: the object, its shape and strides, and its memory if no other array owns it.
    owned: int = self.nbytes if self.base is None else 0
    return _np.ndarray.__basicsize__ - _HEADER + 16 * self.ndim + owned


def _setflags(self: Any, write: Any = None, align: Any = None, uic: Any = None) -> None:
    set_flags(self, write, align, uic)


_integer = _np.zeros(1, int)
# Before NumPy 2.4 integers rounded are the array itself.
_ROUND_COPIES = _integer.round() is not _integer


# From there on the power of ten is infinite.
_MOST_DECIMALS = 308


def _round(self: Any, /, decimals: Any = 0, out: Any = None) -> Any:
    plain = out is None and type(decimals) is int and abs(decimals) <= _MOST_DECIMALS
    if plain and decimals >= 0 and self.dtype.kind in "iu" and self.ndim:
        # Nothing to round.
        return self.copy("K") if _ROUND_COPIES else self
    if not plain or self.dtype.kind != "f":
        return call(_np.ndarray.round, (self, decimals, out), {}, "ndarray.round", NOT_NATIVE)
    to_integer = UFUNCS["rint"]
    if decimals == 0:
        return to_integer(self)
    if decimals > 0:
        return to_integer(self * 10.0**decimals) / 10.0**decimals
    return to_integer(self / 10.0**-decimals) * 10.0**-decimals


def _array_wrap(self: Any, array: Any, context: Any = None, return_scalar: bool = False, /) -> Any:
    if return_scalar and array.ndim == 0:
        return array[()]
    return array if type(array) is ndarray else uncounted(_np.ndarray.view, (array, ndarray), {})


def _array_namespace(self: Any, /, *, api_version: Any = None) -> Any:
    # NumPy checks the version.
    _np.empty(0).__array_namespace__(api_version=api_version)
    return sys.modules["fastnp"]


def _setstate(self: Any, state: Any, /) -> None:
    memory = _np.empty(0)
    memory.__setstate__(state)
    replace(self, adopt(memory))


def _to_numpy(self: Any, dtype: Any = None, copy: Any = False, na_value: Any = None) -> Any:
    """The NumPy array of the same memory, or a copy, for code that accepts `numpy.ndarray` only.

    The signature is that of pandas' method of the same name.
    """
    view = to_numpy(self)
    if dtype is None and copy is False:
        return view
    return _np.array(view, dtype, copy=bool(copy) or None)


def _dask_tokenize(self: Any) -> Any:
    """What Dask identifies the array by: its contents, and that they are an array of ours.

    NumPy's array of the same contents has another token, as Dask takes results with equal tokens
    for the same object.
    """
    from dask.base import normalize_token

    return "fastnp.ndarray", normalize_token(to_numpy(self))


_OURS: dict[str, Callable[..., Any]] = {
    "resize": _resize,
    "setflags": _setflags,
    "__setstate__": _setstate,
    "__array_namespace__": _array_namespace,
    "__array_wrap__": _array_wrap,
    "__sizeof__": _sizeof,
    "round": _round,
}

# Python's special methods that `object` implements, or that make no sense on a view.
_NOT_COPIED = frozenset(
    """
    __class__ __doc__ __new__ __init__ __init_subclass__ __subclasshook__ __getattribute__ __dir__
    __setattr__ __delattr__ __hash__ __reduce__ __reduce_ex__ __getstate__ __array_finalize__
    """.split()
)

# Attributes whose only use is the text of the error they raise, up to NumPy 2.4.
_REMOVED = frozenset({"itemset", "newbyteorder", "ptp"})


def install() -> None:
    """Add to the extension's class every method of NumPy's class that it lacks."""
    own = vars(ndarray)
    for name, value in vars(_np.ndarray).items():
        if name in own or name in _NOT_COPIED:
            continue
        if name in _OURS:
            setattr(ndarray, name, named(_OURS[name], name))
        elif name == "__class_getitem__":
            setattr(ndarray, name, classmethod(_generic))
        elif callable(value):
            setattr(ndarray, name, method_of(name))
        elif name in _REMOVED:
            setattr(ndarray, name, property(_removed(name), doc=value.__doc__))
    ndarray.flat = property(_flat, _set_flat, doc=_np.ndarray.flat.__doc__)
    ndarray.__doc__ = _np.ndarray.__doc__
    ndarray.to_numpy = _to_numpy
    ndarray.__dask_tokenize__ = _dask_tokenize
    # The mark of pandas' own wrapper of a NumPy array. pandas calls `to_numpy` on such an object
    # before storing it, and its compiled code accepts NumPy's arrays only.
    ndarray._typ = "npy_extension"
    if _np.ndarray.__flags__ & _SEQUENCE:
        # From NumPy 2.5 on `match x: case [first, *rest]` takes arrays. Python sets the flag of a
        # class that is registered with one derived from `list`, and nothing takes it back.
        ABCMeta("Sequences", (list,), {}).register(ndarray)
    # In texts the class has NumPy's name; pickles find it by this one.
    ndarray.__module__ = "fastnp"
    _fastnp.set_metaclass(ArrayType)
    _fastnp.set_ufunc_metaclass(_fastnp.ufunc, UfuncType)


def _removed(name: str) -> Callable[[Any], Any]:
    def read(self: Any) -> Any:
        # NumPy raises the error, which names the replacement.
        return getattr(to_numpy(self), name)

    return read


def _generic(cls: type, item: Any) -> Any:
    from types import GenericAlias

    count = len(item) if type(item) is tuple else 1
    if not 1 <= count <= 2:
        message = "many" if count else "few"
        raise TypeError(f"Too {message} arguments for {cls.__module__}.{cls.__name__}")
    return GenericAlias(cls, item)


install()
