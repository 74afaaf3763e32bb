"""Run a NumPy callable on our arrays without copying.

Arrays of ours among the arguments, also inside lists, tuples and dicts, go in as NumPy views of the
same memory and results of a native dtype come out as arrays of ours, on their memory unless that is
new and small. A result that is the very view
that went in comes out as the array it was made from, so `out=` keeps its identity; what NumPy
writes into an argument is seen by its owner. NumPy's subclasses, object arrays and everything else
pass as they are, but our class itself goes in as NumPy's.

The extension calls `call`, `comparison`, `fp_warning`, `method`, `method_uncounted`, `operator` and
`ufunc` by name.
"""

from __future__ import annotations

import operator as operators
import sys
from collections.abc import Callable, Mapping, Sequence
from types import NoneType
from typing import Any

import numpy as _np

from fastnp import _ledger
from fastnp._errstate import fp_warning
from fastnp._fastnp import UFUNCS, from_numpy, ndarray, ran, to_numpy
from fastnp._override import (
    dispatched,
    function_of,
    handed_over,
    outputs,
    overridden,
    overrides,
)

__all__ = [
    "call",
    "closed",
    "comparison",
    "fp_warning",
    "method",
    "method_uncounted",
    "opened",
    "operator",
    "refused",
    "ufunc",
    "uncounted",
    "wrap",
]

NOT_NATIVE = "not native"
NOT_COVERED = "these arguments are not native"

# NumPy's limit.
MAX_DIMENSIONS = 64

# Types that cannot hold an array, tested before anything that costs.
PLAIN: frozenset[type] = frozenset(
    {NoneType, bool, int, float, complex, str, bytes, type, slice, type(_np._NoValue)}
    | {type(...), type(_np.dtype("f8")), type(_np.dtype("i8")), _np.ndarray}
    | {_np.dtype(code).type for code in "?bBhHiIlLqQefdgFDG"}
)

SCALARS: frozenset[type] = PLAIN - {_np.ndarray}

_Seen = list[tuple[Any, Any]]


class StandIn:
    """A foreign object whose `__array__` gives an array of ours, which NumPy would not take."""

    def __init__(self, value: Any, view: Any, seen: _Seen) -> None:
        self.value, self.view, self.seen = value, view, seen
        if hasattr(value, "__array_priority__"):
            self.__array_priority__ = value.__array_priority__

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return _np.array(self.view, dtype, copy=copy)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        context = _restored(context, self.seen)
        return self.value.__array_wrap__(_close(array, self.seen), context, return_scalar)


def _restored(context: Any, seen: _Seen) -> Any:
    """What NumPy tells `__array_wrap__` of a call, with our ufunc and arrays for its own."""
    if context is None:
        return None
    func, args, which = context
    return UFUNCS.get(func.__name__, func), tuple(_original(a, seen) for a in args), which


def _original(value: Any, seen: _Seen) -> Any:
    for view, owner in seen:
        if value is view:
            return owner
    return value


def _open(value: Any, seen: _Seen, depth: int = 0) -> Any:
    """`value` with every array of ours replaced by a NumPy view, each noted in `seen`.

    Lists are looked into as deep as NumPy's arrays have dimensions: one may contain itself.
    """
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind is ndarray:
        view = to_numpy(value)
        seen.append((view, value))
        return view
    if value is ndarray:
        return _np.ndarray
    if (kind is list or kind is tuple) and depth < MAX_DIMENSIONS:
        # A long list of numbers is passed over at C speed.
        if PLAIN.issuperset(map(type, value)):
            return value
        known = len(seen)
        items = [_open(item, seen, depth + 1) for item in value]
        if len(seen) == known:
            return value
        return items if kind is list else tuple(items)
    if kind is dict:
        return {key: _open(item, seen) for key, item in value.items()}
    return _converted(value, kind, seen)


def _converted(value: Any, kind: type, seen: _Seen) -> Any:
    """A foreign object as it is, unless what it makes when NumPy asks for an array is ours."""
    if getattr(kind, "__array__", None) is None or issubclass(kind, (_np.ndarray, _np.generic)):
        return value
    if hasattr(kind, "__array_ufunc__") or hasattr(kind, "__array_function__"):
        return value
    made = value.__array__()
    if type(made) is not ndarray:
        return value
    view = _open(made, seen)
    if not hasattr(kind, "__array_wrap__"):
        return view
    stand_in = StandIn(value, view, seen)
    seen.append((stand_in, value))
    return stand_in


def _close(result: Any, seen: _Seen) -> Any:
    """`result` with every plain NumPy array replaced by an array of ours."""
    kind = type(result)
    if kind is ndarray:
        return result
    if kind is _np.ndarray:
        for view, owner in seen:
            if result is view:
                return owner
        try:
            return from_numpy(result)
        except TypeError:
            if result.dtype.hasobject and seen:
                _put_back(result, seen)
            return result
    if kind in PLAIN:
        return result
    if isinstance(result, tuple):
        items = [_close(item, seen) for item in result]
        if kind is tuple:
            return tuple(items)
        # A named tuple takes its fields one by one; other subclasses of tuple are left alone.
        return kind(*items) if hasattr(kind, "_fields") else result
    if kind is list:
        return [_close(item, seen) for item in result]
    # A NumPy subclass that went in through `out=` is itself; ours comes back for its view.
    for view, owner in seen:
        if result is view:
            return owner
    return result


def _put_back(objects: Any, seen: _Seen) -> None:
    """Our arrays in place of their views among the elements of an array of objects."""
    if objects.dtype.names is not None:
        return
    owners = {id(view): owner for view, owner in seen}
    # Only a new array can hold a view made for this call, and flattening a new one copies nothing.
    elements = objects.ravel(order="K")
    for place, item in enumerate(elements):
        if id(item) in owners:
            elements[place] = owners[id(item)]


def opened(
    args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any], _Seen]:
    """Arguments as NumPy takes them, and the pairs (view, our array) among them."""
    seen: _Seen = []
    plain = []
    for value in args:
        kind = type(value)
        if kind is ndarray:
            view = to_numpy(value)
            seen.append((view, value))
            plain.append(view)
        elif kind in PLAIN:
            plain.append(value)
        else:
            plain.append(_open(value, seen))
    named = {key: _open(value, seen) for key, value in kwargs.items()} if kwargs else {}
    return plain, named, seen


def closed(result: Any, seen: _Seen) -> Any:
    """A result of NumPy's as ours."""
    return result if type(result) in SCALARS else _close(result, seen)


def call(
    func: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    name: str | None = None,
    reason: str = NOT_COVERED,
) -> Any:
    """Run NumPy's `func` on arguments that may hold arrays of ours, and enter it in the ledger."""
    if len(args) == 1 and not kwargs and type(args[0]) is ndarray:
        # The commonest call, spelled out: 0.4 us less than the way below.
        owner = args[0]
        _ledger.enter(name or func.__name__, reason)
        view = to_numpy(owner)
        result = ran(func, (view,))
        kind = type(result)
        if kind is ndarray:
            return result
        if kind is _np.ndarray and result is not view:
            try:
                return from_numpy(result)
            except TypeError:
                return result
        return result if kind in SCALARS else _close(result, [(view, owner)])
    if kwargs and kwargs.get("like") is not None:
        return _alike(func, args, kwargs)
    plain, named, seen = opened(args, kwargs)
    if seen:
        _ledger.enter(name or func.__name__, reason)
    result = ran(func, plain, named)
    if type(result) in SCALARS:
        return result
    if named and type(result) is _np.ndarray and result is named.get("out"):
        return seen_as(result, seen)
    ours = _close(result, seen)
    if not seen and type(ours) is ndarray:
        # Nothing of ours was taken out of the engine, so there is nothing to object to.
        _ledger.enter(name or func.__name__, reason, objecting=False)
    return ours


def _alike(func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """A function that makes an array as the class of `like` makes it: NEP 35."""
    import fastnp

    rest = {key: value for key, value in kwargs.items() if key != "like"}
    ours, like = getattr(fastnp, func.__name__, func), kwargs["like"]
    if function_of(like) is not None:
        _check(func, args, rest)
        return handed_over(ours, like, tuple(args), rest)
    if isinstance(like, (ndarray, _np.ndarray)):
        return ours(*args, **rest)
    return func(*args, **kwargs)


def _check(func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """`TypeError` for arguments that are none of a function's, before another class gets them."""
    import inspect  # takes 8 ms, which the import of the package does not have

    try:
        signature = inspect.signature(func)
    except ValueError:  # a function in C that does not tell
        return
    signature.bind(*args, **kwargs)


def seen_as(result: Any, seen: _Seen) -> Any:
    """A result that is known to be a number or what the caller gave: that itself."""
    for view, owner in seen:
        if result is view:
            return owner
    return result


def wrap(
    func: Callable[..., Any], name: str, run: Callable[..., Any] = call, module: str | None = None
) -> Callable[..., Any]:
    """A function of ours that runs NumPy's `func`; it looks like `func`, and pickles under our
    module's name.
    """

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return run(func, args, kwargs, name, NOT_NATIVE)

    wrapped.__name__ = getattr(func, "__name__", name)
    wrapped.__qualname__ = getattr(func, "__qualname__", wrapped.__name__)
    wrapped.__doc__ = func.__doc__
    wrapped.__module__ = module or our_module(func)
    wrapped.__wrapped__ = func  # type: ignore[attr-defined]
    return wrapped


def our_module(value: Any) -> str:
    """The name of our module that stands for the one `value` was defined in."""
    module = getattr(value, "__module__", None) or "numpy"
    return "fastnp" + module.removeprefix("numpy")


def uncounted(
    func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], *_: str
) -> Any:
    """As `call`, without the ledger: for what runs in NumPy by design."""
    if not args and not kwargs:
        result = func()
        return result if type(result) in SCALARS else _close(result, [])
    plain, named, seen = opened(args, kwargs)
    result = ran(func, plain, named)
    return result if type(result) in SCALARS else _close(result, seen)


def refused(
    func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], name: str
) -> Any:
    """As `call`, for arguments that were found wrong: entered only if NumPy finds them right."""
    result = uncounted(func, args, kwargs)
    _ledger.enter(name, NOT_COVERED, objecting=False)
    return result


def ufunc(
    name: str, method: str, args: Sequence[Any], kwargs: Mapping[str, Any], wrong: bool = False
) -> Any:
    """Run a method of NumPy's ufunc `name`; `method` is "__call__", "reduce", "at" and so on.

    `wrong` tells that the engine found an error, which NumPy is to word.
    """
    func = getattr(_np, name)
    if overridden(func, args, kwargs):
        # Operators also come here with functions that have no row in the op table, as `@` does.
        ours = UFUNCS.get(name) or getattr(sys.modules["fastnp"], name)
        return dispatched(ours, func, method, args, kwargs)
    run = func if method == "__call__" else getattr(func, method)
    full = name if method == "__call__" else f"{name}.{method}"
    if wrong:
        return refused(run, args, kwargs, full)
    result = call(run, args, kwargs, full)
    if type(result) is ndarray and method == "__call__":
        # NumPy's own array given for the result is the result.
        for out in (*outputs(kwargs), *args[func.nin :]):
            if type(out) is _np.ndarray:
                return out
    return result


def comparison(self: Any, name: str, other: Any) -> Any:
    """NumPy's `==` or `!=` of an array with something that is no array of ours."""
    if overrides(other):
        return ufunc("equal" if name == "__eq__" else "not_equal", "__call__", (self, other), {})
    return method(self, name, (other,))


_OPERATORS = {
    "add": operators.add,
    "subtract": operators.sub,
    "multiply": operators.mul,
    "divide": operators.truediv,
    "floor_divide": operators.floordiv,
    "remainder": operators.mod,
    "power": operators.pow,
    "bitwise_and": operators.and_,
    "bitwise_or": operators.or_,
    "bitwise_xor": operators.xor,
    "left_shift": operators.lshift,
    "right_shift": operators.rshift,
}


def operator(name: str, left: Any, right: Any) -> Any:
    """An operator that a class of NumPy's declined on an array of ours: on NumPy's array, which is
    all that `matrix`, for one, knows.
    """
    return call(_OPERATORS[name], (left, right), {}, name)


def method(
    self: Any, name: str, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
) -> Any:
    """Run NumPy's method `name` of `self`."""
    return call(getattr(_np.ndarray, name), (self, *args), kwargs or {}, "ndarray." + name)


def method_uncounted(
    self: Any, name: str, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
) -> Any:
    """As `method`, for arguments the engine found wrong: NumPy finds them so too, and says how."""
    return uncounted(getattr(_np.ndarray, name), (self, *args), kwargs or {})
