"""A test double of the extension module, in Python over NumPy: nothing but a wrapper that is not an
ndarray.

It lets the Python package be tested without the engine; it is eager, slow and knows nothing of
laziness. Delete it once the package is tested against the extension itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from fastnp._arraytype import ArrayType

CODES = "?bBhHiIlLqQefdFD"
TOLD: list[dict[str, str]] = []
COUNTS = {"recorded": 0, "flushes": 0}


def is_native(dtype: Any) -> bool:
    return dtype.isnative and dtype.char in CODES


def _in(value: Any) -> Any:
    if isinstance(value, _Array):
        return value._a
    if type(value) in (list, tuple):
        return type(value)(_in(item) for item in value)
    return value


def _out(result: Any, owners: Any = ()) -> Any:
    if type(result) is np.ndarray:
        for owner in owners:
            if isinstance(owner, _Array) and owner._a is result:
                return owner
        return from_numpy(result) if is_native(result.dtype) else result
    if type(result) in (list, tuple):
        return type(result)(_out(item, owners) for item in result)
    return result


def _owners(args: Any, kwargs: Any) -> list[Any]:
    flat: list[Any] = []
    for value in (*args, *kwargs.values()):
        flat.extend(value if type(value) is tuple else (value,))
    return flat


def _run(func: Any, args: Any, kwargs: Any) -> Any:
    COUNTS["recorded"] += 1
    result = func(*map(_in, args), **{k: _in(v) for k, v in kwargs.items()})
    return _out(result, _owners(args, kwargs))


class _Array(metaclass=ArrayType):
    _a: Any
    __getitem__: Any

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        view = to_numpy(self)
        return view.astype(dtype) if dtype is not None and dtype != view.dtype else view

    def __getattr__(self, name: str) -> Any:
        if name == "_a":
            raise AttributeError(name)
        from fastnp import _fallback

        return _fallback.attribute(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_a" or not hasattr(np.ndarray, name):
            object.__setattr__(self, name, value)
        else:
            setattr(self._a, name, _in(value))

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from fastnp import _protocols

        return _protocols.array_function(func, types, args, kwargs)

    def __array_ufunc__(self, func: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from fastnp import _protocols

        return _protocols.array_ufunc(self, func, method, inputs, kwargs)

    def __reduce_ex__(self, protocol: Any) -> Any:
        from fastnp import _pickle

        return _pickle.reduce(self)

    def __repr__(self) -> str:
        return repr(self._a)

    def view(self, *args: Any) -> Any:
        for kind in args:
            if isinstance(kind, type) and issubclass(kind, _Array):
                other = object.__new__(kind)
                object.__setattr__(other, "_a", self._a.view())
                if hasattr(other, "__array_finalize__"):
                    other.__array_finalize__(self)
                return other
        return _out(self._a.view(*args))

    def __len__(self) -> int:
        return len(self._a)

    def __bool__(self) -> bool:
        return bool(self._a)

    def __iter__(self) -> Any:
        return (self[at] for at in range(len(self)))

    __hash__ = None  # type: ignore[assignment]


class ndarray(_Array):
    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        self = object.__new__(cls)
        self._a = np.ndarray(*args, **kwargs)
        return self


ndarray.__module__ = "fastnp"

METHODS = """
    all any argmax argmin sum prod mean var std min max cumsum cumprod astype copy fill item
    flatten ravel reshape transpose swapaxes squeeze dot clip conj conjugate round tolist take
    nonzero diagonal trace
    """
OPERATORS = """
    add sub mul truediv floordiv mod pow matmul and or xor lshift rshift divmod radd rsub rmul
    rtruediv rfloordiv rmod rpow rmatmul rand ror rxor lt le gt ge eq ne neg pos abs invert int
    float complex index getitem setitem iadd isub imul itruediv iand ior ixor contains
    """
VALUES = """
    shape strides dtype ndim size itemsize nbytes T mT real imag flags data ctypes
    """


def _method(name: str) -> Any:
    func = getattr(np.ndarray, name)

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return _run(func, (self, *args), kwargs)

    return method


for _name in [*METHODS.split(), *(f"__{name}__" for name in OPERATORS.split())]:
    setattr(ndarray, _name, _method(_name))


def _value(name: str) -> Any:
    def value(self: Any) -> Any:
        return _out(getattr(self._a, name))

    return property(value)


for _name in VALUES.split():
    setattr(ndarray, _name, _value(_name))


def to_numpy(x: Any) -> Any:
    COUNTS["flushes"] += 1
    return x._a.view()


def from_numpy(a: Any) -> Any:
    if not is_native(a.dtype):
        raise TypeError(f"not native: {a.dtype}")
    self = object.__new__(ndarray)
    object.__setattr__(self, "_a", a)
    return self


def broadcast_to(x: Any, shape: Any) -> Any:
    return from_numpy(np.broadcast_to(x._a, shape))


class ufunc:
    def __init__(self, original: Any) -> None:
        self._original = original
        self.__name__ = original.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _run(self._original, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.__dict__["_original"], name)
        return (lambda *args, **kwargs: _run(value, args, kwargs)) if callable(value) else value

    def __reduce__(self) -> str:
        return self.__name__


OPS = """
    add subtract multiply divide floor_divide remainder fmod power negative positive absolute
    fabs sign reciprocal square conjugate maximum minimum fmax fmin copysign nextafter spacing
    heaviside gcd lcm rint floor ceil trunc sqrt cbrt exp exp2 expm1 log log2 log10 log1p
    logaddexp logaddexp2 sin cos tan arcsin arccos arctan arctan2 hypot sinh cosh tanh arcsinh
    arccosh arctanh deg2rad rad2deg bitwise_and bitwise_or bitwise_xor invert left_shift
    right_shift equal not_equal less less_equal greater greater_equal logical_and logical_or
    logical_xor logical_not isnan isinf isfinite signbit
    """
UFUNCS = {name: ufunc(getattr(np, name)) for name in OPS.split()}


def _function(name: str) -> Any:
    func = getattr(np, name)

    def function(*args: Any, **kwargs: Any) -> Any:
        return _run(func, args, kwargs)

    function.__name__ = name
    return function


for _name in [
    "array",
    "asarray",
    "asanyarray",
    "ascontiguousarray",
    "asfortranarray",
    "copy",
    "empty",
    "zeros",
    "ones",
    "full",
    "empty_like",
    "zeros_like",
    "ones_like",
    "full_like",
    "arange",
    "where",
    "matmul",
    "dot",
    "concatenate",
    "copyto",
    "shares_memory",
    "may_share_memory",
]:
    globals()[_name] = _function(_name)


def asanyarray(a: Any, *args: Any, **kwargs: Any) -> Any:
    return (
        a
        if type(a) is ndarray and not args and not kwargs
        else _run(np.asanyarray, (a, *args), kwargs)
    )


def eval(*arrays: Any) -> None:
    COUNTS["flushes"] += 1


def flush() -> None:
    COUNTS["flushes"] += 1


def stats() -> dict[str, int]:
    return dict(COUNTS)


def reset_stats() -> None:
    COUNTS.update(dict.fromkeys(COUNTS, 0))


def explain(*arrays: Any) -> str:
    return f"{len(arrays)} arrays"


_settings: dict[str, list[Any]] = {
    "debug": [
        "int",
        0,
        0,
        "What to print: 0 nothing, 1 compiles, 2 launches, 3 plans, 4 IR, 5 code.",
    ],
    "dump": ["str", "", "", "Folder for generated code."],
    "threads": ["int", 0, 0, "Threads to use; 0 means one a core."],
}


def set_setting(name: str, value: Any) -> None:
    _settings[name][2] = value


def settings() -> list[Any]:
    return [(name, *row) for name, row in _settings.items()]


def set_errstate(divide: str, over: str, under: str, invalid: str) -> None:
    TOLD.append({"divide": divide, "over": over, "under": under, "invalid": invalid})
