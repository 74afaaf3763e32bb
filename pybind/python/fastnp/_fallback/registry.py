"""The table of native functions: which function of ours implements which of NumPy's.

The namespace and the dispatch protocols look functions up here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, TypeVar

import numpy as _np

from fastnp import _fastnp
from fastnp._fallback.call import NOT_COVERED, PLAIN, SCALARS, call, from_views, our_module
from fastnp._fallback.override import array_function_of, as_passed, dispatch_function
from fastnp._state.errstate import errstate

NoValue = _np._NoValue

# The flag of code that takes `**kwargs`, as `inspect` has it, whose import takes 8 ms.
CO_VARKEYWORDS = 0x08

_F = TypeVar("_F", bound=Callable[..., Any])

# NumPy's functions and classes to ours.
NATIVE: dict[Any, Any] = {
    _np.ndarray: _fastnp.ndarray,
    _np.ufunc: _fastnp.ufunc,
    _np.errstate: errstate,
}

# Files of native functions that are imported when a function is first looked up: by the function,
# and by its module.
_ON_DEMAND: dict[Any, str] = {}
_ON_DEMAND_BY_MODULE = {
    "numpy.fft": "fastnp._functions.fft",
    "numpy.linalg": "fastnp._functions.linalg_device",
}

# Functions that the extension implements.
_FROM_EXTENSION = """
    array asarray asanyarray ascontiguousarray asfortranarray copy empty zeros ones full
    empty_like zeros_like ones_like full_like arange dot copyto concatenate stack vstack
    hstack dstack column_stack append shares_memory may_share_memory result_type can_cast
    inner vdot packbits unpackbits frombuffer fromiter
    correlate convolve
    """

for _name in _FROM_EXTENSION.split():
    NATIVE[getattr(_np, _name)] = getattr(_fastnp, _name)


def native_of(original: Any) -> Any:
    """The native version of a function or class of NumPy's; None where there is none."""
    ours = NATIVE.get(original)
    if ours is None:
        source = _ON_DEMAND.get(original)
        if source is None:
            source = _ON_DEMAND_BY_MODULE.get(getattr(original, "__module__", None) or "")
        if source is not None:
            import_module(source)
            return NATIVE.get(original)
    return ours


def on_demand(source: str, names: Iterable[str]) -> None:
    """Declare that a file registers native versions of these functions of NumPy's."""
    for name in names:
        module, _, function = name.rpartition(".")
        original = getattr(getattr(_np, module) if module else _np, function, None)
        if original is not None:
            _ON_DEMAND[original] = source


def native_ufuncs() -> list[_np.ufunc]:
    """NumPy's ufuncs that have a version of ours outside the table of ufuncs."""
    return [f for f in {**NATIVE, **_ON_DEMAND} if type(f) is _np.ufunc]


def native(original: Callable[..., Any], few: int | None = None) -> Callable[[_F], _F]:
    """Register the decorated function as the native version of NumPy's `original`, and give it the
    name and doc of `original`.

    With `few`, NumPy's runs on arrays of up to so many elements which are computed, and wherever
    all arrays are NumPy's: there it takes less time than the operations of the decorated one. It
    must not call functions of the user's, which would get NumPy's arrays. The decorated function
    may return `NotImplemented`, for a call that is left to NumPy.
    """

    def declare(function: _F) -> _F:
        unknown = _keywords(original) - _keywords(function)
        if unknown and _keywords(function):
            function = _passing_on(function, original, unknown)
        NATIVE[original] = known = function if few is None else _or_numpys(function, original, few)
        for named in {id(function): function, id(known): known}.values():
            named.__name__ = named.__qualname__ = original.__name__
            named.__doc__ = original.__doc__
            # `inspect.signature` follows it and shows NumPy's signature, which some programs
            # compare.
            named.__wrapped__ = original  # type: ignore[attr-defined]
            named.__module__ = our_module(original)
        function.__annotations__ = {}
        return function

    return declare


def _or_numpys(function: _F, original: Callable[..., Any], few: int) -> _F:
    """`function`, but NumPy's `original` on few elements."""
    direct = getattr(original, "_implementation", original)
    module = getattr(original, "__module__", None) or "numpy"
    name = f"{module}.{original.__name__}".removeprefix("numpy.")
    return _fastnp.native_function(original, direct, name, NOT_COVERED, function, few)


def _keywords(function: Callable[..., Any]) -> set[str]:
    """The parameters of a function in Python that may be named; none where that is not known."""
    code = getattr(getattr(function, "_implementation", function), "__code__", None)
    if code is None or code.co_flags & CO_VARKEYWORDS:
        return set()
    count = code.co_argcount + code.co_kwonlyargcount
    return set(code.co_varnames[code.co_posonlyargcount : count])


def _passing_on(function: Any, original: Callable[..., Any], unknown: set[str]) -> Any:
    """`function`, but with an argument that only NumPy's function of this version has, that one."""
    positions = function.__code__.co_argcount

    def either(*args: Any, **kwargs: Any) -> Any:
        if len(args) > positions or (kwargs and not unknown.isdisjoint(kwargs)):
            return call(original, args, kwargs)
        return function(*args, **kwargs)

    return either


def given(**kwargs: Any) -> dict[str, Any]:
    """The keyword arguments that were passed: those that are not NumPy's `<no value>`."""
    return {name: value for name, value in kwargs.items() if value is not NoValue}


def dispatch_method(
    original: Callable[..., Any], method: str, a: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The slow path of a function that is a method of its first argument.

    Runs the method of an array of ours, a list or a tuple, the `__array_function__` of another
    class, and otherwise NumPy's function.
    """
    kind = type(a)
    if kind is _np.ndarray and not kwargs:
        return call(original, (a, *args), kwargs)
    if kind in SCALARS and not kwargs and PLAIN.issuperset(map(type, args)):
        # Scalars only: no argument to convert, and no fallback to record.
        return from_views(original(a, *args), [])
    if kind is _fastnp.ndarray:
        if array_function_of(kwargs.get("where")) is not None:
            return call(original, (a, *args), kwargs)
        return getattr(a, method)(*args, **kwargs)
    if (kind is list or kind is tuple) and array_function_of(kwargs.get("where")) is None:
        made = _fastnp.asanyarray(a)
        if type(made) is _fastnp.ndarray:
            return getattr(made, method)(*args, **kwargs)
    if array_function_of(a) is not None:
        passed, named = as_passed(original, (a, *args), kwargs)
        return dispatch_function(NATIVE[original], original, a, passed, named)
    return call(original, (a, *args), kwargs)
